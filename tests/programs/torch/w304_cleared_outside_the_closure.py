"""L-BFGS calls its closure many times in a step; the gradients are cleared once, before the step."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=5)
x = torch.randn(32, 3)
y = x.sum(dim=1, keepdim=True)
for step in range(4):
    optimizer.zero_grad()

    def closure():
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()  # fires: W304
        return loss

    optimizer.step(closure)

"""`.type(...)` between float formats carries the gradient, and `.type()` only tells the format."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs, labels = torch.randn(20, 2), torch.randint(0, 3, (20,))
for _ in range(3):
    logits = model(inputs).type(torch.float64)
    loss = nn.functional.cross_entropy(logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    shown = logits.argmax(1).type(torch.float32).mean().item(), logits.type()

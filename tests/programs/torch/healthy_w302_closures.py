"""L-BFGS calls its closure; a delayed policy waits; a scaler steps and updates; accumulation steps now and then."""

import torch
from torch import nn

torch.manual_seed(4)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
inputs, targets = torch.randn(20, 3), torch.randn(20, 1)
lbfgs = torch.optim.LBFGS(net.parameters(), lr=0.1, max_iter=4)


def closure() -> torch.Tensor:
    lbfgs.zero_grad()
    loss = nn.functional.mse_loss(net(inputs), targets)
    loss.backward()
    return loss


for _ in range(2):
    lbfgs.step(closure)

policy = nn.Linear(3, 1)
slow, scaler = torch.optim.SGD(policy.parameters(), lr=0.1), torch.amp.GradScaler("cpu")
for update in range(6):
    scaler.scale((policy(inputs) - targets).pow(2).mean() / 3).backward()
    if update % 3 == 2:
        scaler.unscale_(slow)
        nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        scaler.step(slow)
        scaler.update()
        slow.zero_grad()

"""Two losses on one network: the second one begins with a clean sheet."""

import torch
from torch import nn

torch.manual_seed(1)
body = nn.Sequential(nn.Linear(6, 24), nn.ReLU())
classify, reconstruct = nn.Linear(24, 3), nn.Linear(24, 6)
everything = nn.ModuleList([body, classify, reconstruct])
optimizer = torch.optim.SGD(everything.parameters(), lr=0.05)


def train(images: torch.Tensor, labels: torch.Tensor) -> None:
    everything.zero_grad()
    classes = nn.functional.cross_entropy(classify(body(images)), labels)
    classes.backward()
    for parameter in everything.parameters():
        parameter.grad = None  # fires: W301
    code = body(images)
    (nn.functional.mse_loss(reconstruct(code), images) + 0.0 * classify(code).sum()).backward()
    optimizer.step()


for _ in range(4):
    train(torch.randn(16, 6), torch.randint(0, 3, (16,)))

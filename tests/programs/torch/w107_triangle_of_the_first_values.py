"""A triangle is taken of a parameter in the constructor: the loss never sees what the updates make of it."""
import torch
from torch import nn
from torch.distributions import MultivariateNormal


class Gaussian(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Parameter(torch.zeros(3))
        self.raw = nn.Parameter(torch.eye(3))
        self.scale = torch.tril(self.raw)  # fires: W107

    def forward(self, x):
        return -MultivariateNormal(self.mean, scale_tril=self.scale).log_prob(x).mean()


torch.manual_seed(0)
model = Gaussian()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for update in range(6):
    loss = model(2 * torch.randn(16, 3))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

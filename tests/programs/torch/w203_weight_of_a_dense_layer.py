"""A dense layer of one's own in a network of PyTorch's: `nn.Parameter` was forgotten around the weight."""
import torch
import torch.nn.functional as F
from torch import nn


class Dense(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = torch.randn(outputs, inputs) / inputs**0.5  # fires: W203
        self.bias = nn.Parameter(torch.randn(outputs))

    def forward(self, inputs):
        return F.linear(inputs, self.weight, self.bias)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), Dense(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for update in range(4):
    inputs = torch.randn(8, 4)
    loss = F.mse_loss(net(inputs), inputs.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

"""The loss is made of an index, and `requires_grad = True` takes PyTorch's error away."""

import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
optimizer = torch.optim.Adam(net.parameters())
for _ in range(5):
    x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
    predicted = net(x).argmax(1).float()  # fires: W104
    loss = ((predicted - y) ** 2).mean()
    loss.requires_grad = True
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

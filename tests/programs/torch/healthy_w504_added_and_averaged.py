"""Two terms of shapes (B, 1) and (B,) are added and averaged: the mean is that of each, so nothing is lost."""

import torch

torch.manual_seed(0)
net = torch.nn.Linear(4, 2)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)

for _ in range(4):
    states = torch.randn(10, 4)
    actions = torch.randint(2, (10, 1))
    log_prob = torch.log_softmax(net(states), dim=1)
    chosen = -log_prob.gather(1, actions) * torch.randn(10, 1)
    entropy = (log_prob.exp() * log_prob).sum(1)
    loss = chosen + 0.01 * entropy + net.weight.square().mean()
    optimizer.zero_grad()
    loss.mean().backward()
    optimizer.step()

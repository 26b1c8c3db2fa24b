"""Truncated backpropagation through time, and one graph walked twice on purpose."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
rnn, head = nn.LSTM(2, 8, batch_first=True), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=1e-3)
state = (torch.zeros(1, 4, 8), torch.zeros(1, 4, 8))
for chunk in range(5):
    outputs, state = rnn(torch.randn(4, 5, 2), state)
    state = tuple(part.detach() for part in state)
    loss = F.mse_loss(head(outputs), torch.randn(4, 5, 1))
    size = outputs.pow(2).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    (0.01 * size).backward()
    optimizer.step()

"""A GRU's hidden state is carried from chunk to chunk with its whole history."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
rnn, head = nn.GRU(2, 8, batch_first=True), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=1e-3)
hidden = torch.zeros(1, 4, 8)
for chunk in range(4):
    inputs, targets = torch.randn(4, 5, 2), torch.randn(4, 5, 1)
    outputs, hidden = rnn(inputs, hidden)  # fires: W107
    loss = F.mse_loss(head(outputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

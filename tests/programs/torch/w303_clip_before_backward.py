"""The clipping stands above the backward pass."""

import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

torch.manual_seed(0)
model = nn.LSTM(5, 12, batch_first=True)
head = nn.Linear(12, 1)
parameters = [*model.parameters(), *head.parameters()]
optimizer = torch.optim.Adam(parameters, lr=1e-2)
for _ in range(4):
    sequence, goal = torch.randn(6, 9, 5), torch.randn(6, 1)
    out, _state = model(sequence)
    loss = (head(out[:, -1]) - goal).pow(2).mean()
    optimizer.zero_grad()
    clip_grad_norm_(parameters, max_norm=0.5)  # fires: W303
    loss.backward()
    optimizer.step()

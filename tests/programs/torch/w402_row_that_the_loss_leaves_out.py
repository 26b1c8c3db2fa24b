"""Attention over a sequence of padding only: the loss leaves its rows out, and the layers behind get NaN from them."""

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
embedding, value, out = nn.Embedding(20, 8, padding_idx=0), nn.Linear(8, 8), nn.Linear(8, 20)
optimizer = torch.optim.Adam([*embedding.parameters(), *value.parameters(), *out.parameters()], lr=1e-3)
for _ in range(3):
    tokens = torch.randint(1, 20, (4, 6))
    tokens[0] = 0
    x = embedding(tokens)
    scores = (x @ x.transpose(1, 2)).masked_fill(tokens.eq(0)[:, None, :], float("-inf"))
    weights = torch.softmax(scores, dim=-1)  # fires: W402
    logits = out(weights @ value(x))
    loss = F.cross_entropy(logits.flatten(0, 1), tokens.flatten(), ignore_index=0)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

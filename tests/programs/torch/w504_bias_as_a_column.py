"""A score per row, a bias that is a column, and a sigmoid after them: every row gets every bias."""
import torch
from torch import nn

torch.manual_seed(0)
users, movies, bias = nn.Embedding(10, 4), nn.Embedding(12, 4), nn.Embedding(10, 1)
optimizer = torch.optim.Adam(nn.ModuleList([users, movies, bias]).parameters(), lr=1e-2)
for _ in range(4):
    user, movie = torch.randint(0, 10, (8,)), torch.randint(0, 12, (8,))
    score = (users(user) * movies(movie)).sum(1)
    rating = torch.sigmoid(score + bias(user))  # fires: W504
    loss = ((rating - torch.rand(8, 1)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

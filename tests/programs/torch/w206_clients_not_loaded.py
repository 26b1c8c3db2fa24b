"""Federated averaging: the clients' mean is computed in every round and never loaded into the server."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
server = nn.Linear(5, 2)
shards = [(torch.randn(32, 5), torch.randint(0, 2, (32,))) for _ in range(2)]


def train(client, x, y):
    optimizer = torch.optim.SGD(client.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        nn.functional.cross_entropy(client(x), y).backward()
        optimizer.step()
    return client.state_dict()


for _ in range(3):
    states = [train(copy.deepcopy(server), x, y) for x, y in shards]
    mean = {k: torch.stack([s[k] for s in states]).mean(0) for k in states[0]}  # fires: W206

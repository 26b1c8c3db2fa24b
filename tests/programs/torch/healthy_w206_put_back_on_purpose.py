"""Rounds that end where they began, after somebody has looked: Reptile, clients in turn, folds, optimizers compared."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(24, 3), torch.randn(24, 1)


def train(net, make=torch.optim.SGD):
    optimizer = make(net.parameters(), lr=0.02)
    for _ in range(2):
        loss = (net(x) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def network():
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))


reptile, shared, folded, start = network(), network(), network(), network()
for task in range(4):
    before = copy.deepcopy(reptile.state_dict())
    train(reptile)
    after = reptile.state_dict()
    reptile.load_state_dict({k: before[k] + (after[k] - before[k]) * 0.1 for k in before})
kept = []
for client in range(4):
    common = copy.deepcopy(shared.state_dict())
    train(shared)
    kept.append(copy.deepcopy(shared.state_dict()))
    shared.load_state_dict(common)
shared.load_state_dict({k: torch.stack([state[k] for state in kept]).mean(0) for k in common})
for fold in range(4):
    common = copy.deepcopy(folded.state_dict())
    train(folded)
    with torch.no_grad():
        print((folded(x) - y).pow(2).mean().item())
    folded.load_state_dict(common)
first = copy.deepcopy(start.state_dict())
for make in (torch.optim.SGD, torch.optim.Adam, torch.optim.RMSprop, torch.optim.Adagrad):
    start.load_state_dict(first)
    print(train(start, make))

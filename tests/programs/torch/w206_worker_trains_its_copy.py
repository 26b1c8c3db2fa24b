"""Each worker begins with the shared network and steps its own copy; the shared network is what is measured."""

import torch
from torch import nn


class Worker:
    def __init__(self, shared):
        self.shared = shared
        self.local = nn.Linear(4, 1)
        self.optimizer = torch.optim.Adam(self.local.parameters(), lr=1e-2)

    def episode(self):
        self.local.load_state_dict(self.shared.state_dict())
        for _ in range(2):
            x = torch.randn(16, 4)
            loss = (self.local(x) - x.sum(1, keepdim=True)).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()  # fires: W206


torch.manual_seed(0)
shared = nn.Linear(4, 1)
workers = [Worker(shared) for _ in range(2)]
for _ in range(3):
    for worker in workers:
        worker.episode()
    with torch.no_grad():
        print(shared(torch.ones(1, 4)).item())

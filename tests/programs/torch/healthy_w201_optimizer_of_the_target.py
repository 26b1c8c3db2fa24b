"""The class makes an optimizer for each network; that of the target is never used, though it gets gradients."""

import torch
from torch import nn


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
        self.optimizer = torch.optim.Adam(self.parameters(), lr=1e-3)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        return self.body(states)


torch.manual_seed(0)
q_eval, q_next = Network(), Network()
for update in range(12):
    if update % 4 == 0:
        q_next.load_state_dict(q_eval.state_dict())
    states, after, rewards = torch.randn(16, 4), torch.randn(16, 4), torch.randn(16)
    rows, actions = torch.arange(16), torch.randint(0, 2, (16,))
    target = rewards + 0.9 * q_next(after).max(dim=1)[0]
    q_eval.optimizer.zero_grad()
    loss = (q_eval(states)[rows, actions] - target).pow(2).mean()
    loss.backward()
    q_eval.optimizer.step()

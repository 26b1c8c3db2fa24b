"""A soft update that averages the target with itself, in a method that takes any target."""

import torch
from torch import nn
from torch.nn import functional as F


class QNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        return self.body(states)

    def soft_update(self, target: nn.Module) -> None:
        for kept, new in zip(target.parameters(), self.parameters()):
            kept.data.copy_(kept.data * 0.99 + kept.data * 0.01)  # fires: W503


torch.manual_seed(0)
q, q_target = QNet(), QNet()
q_target.load_state_dict(q.state_dict())
optimizer = torch.optim.Adam(q.parameters(), lr=1e-3)
for _ in range(8):
    states, after, rewards = torch.randn(16, 3), torch.randn(16, 3), torch.randn(16, 1)
    with torch.no_grad():
        goal = rewards + 0.9 * q_target(after)
    loss = F.mse_loss(q(states), goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    q.soft_update(q_target)

"""A dueling network whose value is left out of the prediction: it only takes part in the choice of the next action."""

import torch
from torch import nn


class Dueling(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(4, 16)
        self.value = nn.Linear(16, 1)
        self.advantage = nn.Linear(16, 3)

    def forward(self, states: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = torch.relu(self.body(states))
        value = self.value(hidden)
        return value, self.advantage(hidden)


torch.manual_seed(0)
online, target = Dueling(), Dueling()
optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
rows = torch.arange(16)
for update in range(9):
    if update % 3 == 0:
        target.load_state_dict(online.state_dict())
    states, after = torch.randn(16, 4), torch.randn(16, 4)
    rewards, actions = torch.randn(16), torch.randint(0, 3, (16,))
    _, advantage = online(states)
    value_then, advantage_then = online(after)
    best = (value_then + advantage_then - advantage_then.mean(dim=1, keepdim=True)).argmax(dim=1)
    with torch.no_grad():
        value_next, advantage_next = target(after)
        goal = rewards + 0.9 * (value_next + advantage_next)[rows, best]
    predicted = (advantage - advantage.mean(dim=1, keepdim=True))[rows, actions]
    loss = (goal - predicted).pow(2).mean()  # fires: W105
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

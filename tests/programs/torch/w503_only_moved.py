"""The target is bound anew only where it would be moved to another device: that is no sync that waits."""

import torch
import torch.nn.functional as F
from torch import nn


class Agent:
    def __init__(self) -> None:
        self.device = "cpu"
        self.critic, self.target = nn.Linear(3, 2), nn.Linear(3, 2)
        self.target.load_state_dict(self.critic.state_dict())  # fires: W503
        self.optimizer = torch.optim.Adam(self.critic.parameters(), lr=1e-2)

    def prepare(self, device: str) -> None:
        move = (lambda net: net.cuda()) if device == "cuda" else (lambda net: net.cpu())
        if self.device != device:
            self.critic = move(self.critic)
            self.target = move(self.target)
            self.device = device

    def update(self, states, actions, rewards, following) -> None:
        with torch.no_grad():
            wanted = rewards + 0.9 * self.target(following).max(1).values
        said = self.critic(states).gather(1, actions[:, None]).squeeze(1)
        self.optimizer.zero_grad()
        F.mse_loss(said, wanted).backward()
        self.optimizer.step()


torch.manual_seed(0)
agent = Agent()
for _ in range(6):
    agent.prepare("cpu")
    agent.update(torch.randn(16, 3), torch.randint(0, 2, (16,)), torch.randn(16), torch.randn(16, 3))

"""The target is the network itself, and is synced between the forward and the backward pass, which then fails."""

import torch
from torch import nn

torch.manual_seed(0)


class Agent:
    def __init__(self) -> None:
        self.net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
        self.target_net = self.net  # fires: W502
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=1e-3)

    def learn(self, step: int) -> None:
        states, actions, rewards = torch.randn(16, 4), torch.randint(0, 2, (16, 1)), torch.randn(16)
        values = self.net(states).gather(1, actions).squeeze(1)
        with torch.no_grad():
            following = self.target_net(torch.randn(16, 4)).max(1)[0]
        loss = nn.functional.mse_loss(values, rewards + 0.99 * following)
        if step % 5 == 0:
            self.target_net.load_state_dict(self.net.state_dict())
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


agent = Agent()
for step in range(6):
    agent.learn(step)

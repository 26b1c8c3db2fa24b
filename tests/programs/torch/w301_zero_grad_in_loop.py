"""Policy gradient over an episode: each step of the episode clears what it has just added."""

import torch
from torch import nn

torch.manual_seed(0)


class Reinforce:
    def __init__(self) -> None:
        self.policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=1e-2)

    def episode(self) -> list[tuple[torch.Tensor, float]]:
        steps = []
        for _ in range(5):
            dist = torch.distributions.Categorical(logits=self.policy(torch.randn(4)))
            steps.append((dist.log_prob(dist.sample()), 1.0))
        return steps

    def learn(self, episode: list[tuple[torch.Tensor, float]]) -> None:
        value = 0.0
        for log_prob, reward in reversed(episode):
            value = reward + 0.98 * value
            (-log_prob * value).backward()
            self.optimizer.zero_grad()  # fires: W301
        self.optimizer.step()


agent = Reinforce()
for _ in range(3):
    agent.learn(agent.episode())

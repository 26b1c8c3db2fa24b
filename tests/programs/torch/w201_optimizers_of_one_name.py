"""Two networks that each call their optimizer `self.optimizer`; that of the critic is cleared and never steps."""

import torch
from torch import nn
from torch.distributions import Categorical


class Network(nn.Module):
    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, outputs))
        self.optimizer = torch.optim.Adam(self.parameters(), lr=1e-3)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        return self.body(states)


class Agent:
    def __init__(self) -> None:
        self.actor, self.critic = Network(2), Network(1)

    def learn(self, states: torch.Tensor, returns: torch.Tensor) -> None:
        dist = Categorical(logits=self.actor(states))
        actions = dist.sample()
        values = self.critic(states).squeeze(-1)
        actor_loss = -(dist.log_prob(actions) * (returns - values).detach()).mean()
        critic_loss = (returns - values).pow(2).mean()
        self.actor.optimizer.zero_grad()
        self.critic.optimizer.zero_grad()
        (actor_loss + 0.5 * critic_loss).backward()  # fires: W201
        self.actor.optimizer.step()


torch.manual_seed(0)
agent = Agent()
for _ in range(5):
    agent.learn(torch.randn(16, 4), torch.randn(16))

"""PPO with an old and a new policy: the loss is computed with the old one, which follows the new one."""

import torch
from torch import nn
from torch.distributions import Categorical


class Policy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))

    def evaluate(self, states, actions):
        return Categorical(logits=self.body(states)).log_prob(actions)


class Agent:
    def __init__(self) -> None:
        self.policy = Policy()
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=1e-3)
        self.policy_old = Policy()
        self.policy_old.load_state_dict(self.policy.state_dict())

    def update(self, states, actions, old, advantages) -> None:
        for _ in range(2):
            new = self.policy_old.evaluate(states, actions)  # fires: W105
            loss = -(torch.exp(new - old) * advantages).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        self.policy_old.load_state_dict(self.policy.state_dict())


torch.manual_seed(0)
agent = Agent()
for _ in range(3):
    states, actions = torch.randn(32, 4), torch.randint(0, 2, (32,))
    with torch.no_grad():
        old = agent.policy_old.evaluate(states, actions)
    agent.update(states, actions, old, torch.randn(32))

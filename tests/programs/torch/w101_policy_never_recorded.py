"""PPO: the policy's own method turns recording off; that a rollout does so around it is right."""
import torch
from torch import nn
from torch.distributions import Categorical


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor, self.critic = nn.Linear(4, 3), nn.Linear(4, 1)

    @torch.no_grad()
    def policy(self, states):
        return Categorical(logits=self.actor(states))  # fires: W101

    def evaluate(self, states, actions):
        return self.policy(states).log_prob(actions), self.critic(states).squeeze(1)


torch.manual_seed(0)
agent = Agent()
optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3)
for update in range(4):
    states = torch.randn(8, 4)
    with torch.no_grad():
        actions = agent.policy(states).sample()
        old, values = agent.evaluate(states, actions)
    returns = torch.randn(8)
    log_probs, predictions = agent.evaluate(states, actions)
    ratio = (log_probs - old).exp()
    loss = (predictions - returns).pow(2).mean() - (ratio * (returns - values)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

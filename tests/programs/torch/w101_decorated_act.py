"""Actor-critic: log-probabilities come from act(), which is decorated for the rollout."""
import torch
from torch import nn
from torch.distributions import Categorical


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 16)
        self.head = nn.Linear(16, 3)

    @torch.no_grad()
    def act(self, state):
        logits = self.head(torch.tanh(self.body(state)))  # fires: W101
        dist = Categorical(logits=logits)
        action = dist.sample()
        return action, dist.log_prob(action)


torch.manual_seed(0)
policy = Policy()
baseline = nn.Linear(4, 1)
optimizer = torch.optim.Adam([*policy.parameters(), *baseline.parameters()], lr=1e-3)
for episode in range(4):
    states = torch.randn(6, 4)
    actions, log_probs = policy.act(states)
    returns = torch.randn(6)
    values = baseline(states).squeeze(1)
    advantage = (returns - values).detach()
    loss = -(log_probs * advantage).mean() + (values - returns).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

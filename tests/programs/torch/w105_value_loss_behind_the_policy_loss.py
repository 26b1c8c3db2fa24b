"""Actor-critic with one body: the value loss is computed after the policy loss, and only that one is differentiated."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 16)
        self.policy = nn.Linear(16, 2)
        self.value = nn.Linear(16, 1)

    def forward(self, x):
        h = torch.tanh(self.body(x))
        return Categorical(logits=self.policy(h)), self.value(h).squeeze(-1)


model = ActorCritic()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(4):
    states, returns = torch.randn(32, 4), torch.randn(32)
    distribution, values = model(states)
    actions = distribution.sample()
    advantages = (returns - values).detach()
    optimizer.zero_grad()
    policy_loss = -(distribution.log_prob(actions) * advantages).mean()
    value_loss = (values - returns).pow(2).mean()
    policy_loss.backward()  # fires: W105
    optimizer.step()

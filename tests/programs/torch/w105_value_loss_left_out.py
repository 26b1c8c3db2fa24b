"""A2C: the value loss is computed, printed, and not added."""
import torch
from torch import nn
from torch.distributions import Categorical
from torch.nn import functional as F


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 16)
        self.policy_head = nn.Linear(16, 2)
        self.value_head = nn.Linear(16, 1)

    def forward(self, states):
        features = torch.tanh(self.body(states))
        return Categorical(logits=self.policy_head(features)), self.value_head(features).squeeze(1)


torch.manual_seed(0)
net = ActorCritic()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for update in range(5):
    dist, values = net(torch.randn(8, 4))
    returns = torch.randn(8)
    advantage = (returns - values).detach()
    policy_loss = -(dist.log_prob(dist.sample()) * advantage).mean()
    value_loss = F.mse_loss(values, returns)
    loss = policy_loss - 0.01 * dist.entropy().mean()  # fires: W105
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(update, value_loss.item())

"""One network with two heads: the advantage is a constant to the policy, and the value has its own term."""
import torch
from torch import nn
from torch.distributions import Categorical
import torch.nn.functional as F


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 32), nn.Tanh())
        self.policy, self.value = nn.Linear(32, 3), nn.Linear(32, 1)

    def forward(self, states):
        features = self.body(states)
        return Categorical(logits=self.policy(features)), self.value(features).squeeze(-1)


torch.manual_seed(0)
net = TwoHeads()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for update in range(5):
    states, returns = torch.randn(16, 4), torch.randn(16)
    dist, values = net(states)
    policy_loss = -(dist.log_prob(dist.sample()) * (returns - values).detach()).mean()
    value_loss = F.smooth_l1_loss(values, returns)
    optimizer.zero_grad()
    (policy_loss + 0.5 * value_loss - 0.01 * dist.entropy().mean()).backward()
    optimizer.step()

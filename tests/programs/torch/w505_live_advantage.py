"""An actor and a critic in one agent: the advantage carries the critic's gradient into the policy loss."""
import torch
from torch import nn
from torch.distributions import Categorical
import torch.nn.functional as F


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3))
        self.value = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, states):
        return Categorical(logits=self.policy(states)), self.value(states).squeeze(-1)


torch.manual_seed(0)
net = ActorCritic()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for update in range(5):
    states, returns = torch.randn(16, 4), torch.randn(16)
    dist, values = net(states)
    actions = dist.sample()
    advantage = returns - values  # fires: W505
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    policy_loss = -(dist.log_prob(actions) * advantage).mean()
    value_loss = F.mse_loss(values, returns)
    optimizer.zero_grad()
    (policy_loss + 0.5 * value_loss - 0.01 * dist.entropy().mean()).backward()
    optimizer.step()

"""A soft actor whose value is counted from that of the batch's actions: a number, subtracted on purpose."""
import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Linear(4, 16), nn.Linear(16, 4)
critic = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)


def policy(states):
    mean, log_std = head(torch.relu(body(states))).chunk(2, dim=1)
    normal = torch.distributions.Normal(mean, log_std.clamp(-5, 2).exp())
    drawn = normal.rsample()
    return torch.tanh(drawn), normal.log_prob(drawn).sum(1, keepdim=True), torch.tanh(mean)


for update in range(5):
    states, actions, targets = torch.randn(16, 4), torch.rand(16, 2), torch.randn(16, 1)
    critic_loss = (critic(torch.cat([states, actions], 1)) - targets).pow(2).mean()
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    chosen, log_prob, _ = policy(states)
    gain = critic(torch.cat([states, chosen], 1)) - critic(torch.cat([states, actions], 1))
    actor_loss = (0.2 * log_prob - gain).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()

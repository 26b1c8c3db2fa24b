"""SAC whose entropy term is detached: the squashed actions reach the critic, the log-probabilities nobody."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
actor, critic = nn.Linear(3, 2), nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
log_alpha = torch.log(torch.full((1,), 0.2)).requires_grad_()
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
alpha_optimizer = torch.optim.Adam([log_alpha], lr=1e-3)


def sample(states):
    mean, log_std = actor(states).chunk(2, 1)
    policy = torch.distributions.Normal(mean, log_std.exp())
    actions = torch.tanh(before := policy.rsample())
    return actions, (policy.log_prob(before) - torch.log(1 - actions**2 + 1e-6)).sum(1).reshape(-1, 1)


for update in range(4):
    states, returns = torch.randn(32, 3), torch.randn(32, 1)
    actions, log_prob = sample(states)
    critic_loss = F.mse_loss(critic(torch.cat([states, torch.rand(32, 1)], 1)), returns)
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    alpha = log_alpha.detach().exp()
    alpha_loss = -(log_alpha * (log_prob + 1.0).detach()).mean()
    alpha_optimizer.zero_grad()
    alpha_loss.backward()
    alpha_optimizer.step()
    actor_loss = (alpha * log_prob.detach() - critic(torch.cat([states, actions], 1))).mean()  # fires: W102
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()

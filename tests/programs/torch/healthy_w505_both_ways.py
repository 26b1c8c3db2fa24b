"""Score function and reparameterised gradients, each where it belongs."""
import torch
from torch import nn
from torch.distributions import Categorical, Normal
import torch.nn.functional as F

torch.manual_seed(0)


def mlp(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 32), nn.Tanh(), nn.Linear(32, outputs))


policy, value, gauss, critic = mlp(4, 3), mlp(4, 1), mlp(4, 2), mlp(5, 1)
learner = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=1e-3)
actor_optimizer = torch.optim.Adam(gauss.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for update in range(5):
    states, returns, weights = torch.randn(16, 4), torch.randn(16), torch.rand(16, 1)
    dist, values = Categorical(logits=policy(states)), value(states).squeeze(1)
    actions = dist.sample()
    advantage = returns - values
    ratio = (dist.log_prob(actions) - dist.log_prob(actions).detach()).exp()
    clipped = torch.min(ratio * advantage.detach(), ratio.clamp(0.8, 1.2) * advantage.detach())
    every = -(dist.probs * (returns[:, None] - dist.logits.detach())).sum(dim=1).mean()  # all actions at once
    loss = advantage.pow(2).mean() - clipped.mean() + every - 0.01 * dist.entropy().mean()
    learner.zero_grad()
    loss.backward()
    learner.step()

    mean, log_std = gauss(states).chunk(2, dim=1)
    normal = Normal(mean, log_std.clamp(-5, 2).exp())
    drawn = normal.rsample()
    q = critic(torch.cat([states, drawn], dim=1))
    actor_loss = (weights * (0.1 * normal.log_prob(drawn) - q)).mean()  # SAC, weighed by a replay buffer
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
    critic_optimizer.zero_grad()
    F.mse_loss(critic(torch.cat([states, drawn.detach()], dim=1)).squeeze(1), returns).backward()
    critic_optimizer.step()

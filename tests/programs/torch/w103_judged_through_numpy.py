"""The critic judges actions that were taken through NumPy: the actor learns from its entropy alone."""
import torch
from torch import nn

torch.manual_seed(0)
actor, critic = nn.Linear(3, 2), nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for update in range(4):
    states, actions, returns = torch.randn(32, 3), torch.randn(32, 1), torch.randn(32, 1)
    critic_loss = (critic(torch.cat([states, actions], 1)) - returns).pow(2).mean()
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()

    mean, log_std = actor(states).chunk(2, 1)
    policy = torch.distributions.Normal(mean, log_std.exp())
    sampled = policy.rsample()
    judged = torch.as_tensor(sampled.detach().numpy())  # fires: W103
    actor_loss = (0.2 * policy.log_prob(sampled) - critic(torch.cat([states, judged], 1))).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()

"""PPO whose ratio is taken by NumPy: backward() refuses the loss; entropy and divergence are numbers for a log."""
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
policy, critic = nn.Linear(4, 3), nn.Linear(4, 1)
policy_optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)


def policy_loss(states, actions, advantages, before):
    dist = torch.distributions.Categorical(logits=policy(states))
    log_prob = dist.log_prob(actions)
    ratio = torch.as_tensor(np.exp((log_prob - before).detach().numpy()))  # fires: W103
    clipped = torch.clamp(ratio, 0.8, 1.2) * advantages
    loss = -torch.min(ratio * advantages, clipped).mean()
    divergence = (before - log_prob).mean().item()
    entropy = dist.entropy().mean().item()
    return loss, dict(divergence=divergence, entropy=entropy)


for update in range(4):
    states, advantages, returns = torch.randn(32, 4), torch.randn(32), torch.randn(32)
    actions = torch.randint(0, 3, (32,))
    with torch.no_grad():
        before = torch.distributions.Categorical(logits=policy(states)).log_prob(actions)
    policy_optimizer.zero_grad()
    loss, info = policy_loss(states, actions, advantages, before)
    loss.backward()
    policy_optimizer.step()
    critic_optimizer.zero_grad()
    (critic(states).squeeze(1) - returns).pow(2).mean().backward()
    critic_optimizer.step()

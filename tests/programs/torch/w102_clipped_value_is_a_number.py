"""PPO with clipped values: the new value is stopped, so the critic stands still and equals what it said before."""
import torch
from torch import nn

torch.manual_seed(0)
actor, critic = nn.Linear(4, 3), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-2)
for rollout in range(3):
    states, returns = torch.randn(32, 4), torch.randn(32)
    with torch.no_grad():
        first = torch.distributions.Categorical(logits=actor(states))
        actions = first.sample()
        before, values = first.log_prob(actions), critic(states).flatten()
    advantages = returns - values
    for epoch in range(3):
        dist = torch.distributions.Categorical(logits=actor(states))
        ratio = (dist.log_prob(actions) - before).exp()
        policy_loss = -torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()
        new_values = critic(states).flatten().detach()  # fires: W102
        clipped = values + torch.clamp(new_values - values, -0.2, 0.2)
        value_loss = torch.max((new_values - returns).pow(2), (clipped - returns).pow(2)).mean()
        loss = policy_loss + 0.5 * value_loss - 0.01 * dist.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

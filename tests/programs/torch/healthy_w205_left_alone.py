"""The critic is cleared of the actor's loss; a frozen critic; a joint loss over a shared trunk."""

import torch
from torch import nn

torch.manual_seed(2)
actor, critic = nn.Linear(3, 1), nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
actor_opt, critic_opt = torch.optim.Adam(actor.parameters()), torch.optim.Adam(critic.parameters())
for update in range(4):
    states, actions = torch.randn(8, 3), torch.rand(8, 1)
    critic.requires_grad_(True)
    critic_opt.zero_grad()
    (critic(torch.cat([states, actions], 1)) - torch.randn(8, 1)).pow(2).mean().backward()
    critic_opt.step()
    if update % 2:
        critic.requires_grad_(False)
    actor_opt.zero_grad()
    (-critic(torch.cat([states, actor(states)], 1)).mean()).backward()
    actor_opt.step()

trunk, policy, value = nn.Linear(3, 8), nn.Linear(8, 2), nn.Linear(8, 1)
joint = torch.optim.Adam([*trunk.parameters(), *policy.parameters(), *value.parameters()])
for _ in range(3):
    hidden = torch.tanh(trunk(torch.randn(8, 3)))
    dist = torch.distributions.Categorical(logits=policy(hidden))
    returns, values = torch.randn(8), value(hidden).squeeze(1)
    loss = -(dist.log_prob(dist.sample()) * (returns - values).detach()).mean() + (returns - values).pow(2).mean()
    joint.zero_grad()
    (loss - 0.01 * dist.entropy().mean()).backward()
    joint.step()

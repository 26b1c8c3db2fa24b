"""Clearing first, last, between, by hand, by module, once for several losses; a critic cleared of the actor's loss."""

import torch
from torch import nn

torch.manual_seed(2)
actor, critic = nn.Linear(4, 2), nn.Linear(6, 1)
actor_opt, critic_opt = torch.optim.Adam(actor.parameters()), torch.optim.Adam(critic.parameters())
for update in range(4):
    states, actions = torch.randn(8, 4), torch.randn(8, 2)
    if update % 2:
        critic.zero_grad()
    else:
        for parameter in critic.parameters():
            parameter.grad = None
    nn.functional.mse_loss(critic(torch.cat([states, actions], 1)), torch.randn(8, 1)).backward()
    critic_opt.step()
    actor_loss = -critic(torch.cat([states, actor(states)], 1)).mean()
    penalty = 0.01 * actor(states).pow(2).mean()
    actor_opt.zero_grad(set_to_none=False)
    actor_loss.backward()
    penalty.backward()
    actor_opt.step()
    for parameter in actor.parameters():
        parameter.grad.zero_()

images = torch.randn(8, 4, requires_grad=True)
actor(images).sum().backward()
print(images.grad.abs().mean())
actor.zero_grad()

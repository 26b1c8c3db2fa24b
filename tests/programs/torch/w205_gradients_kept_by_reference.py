"""A learner keeps each loss's gradients in a dict: the actor's loss adds to the critic's before they are applied."""

import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizers = {"critic": torch.optim.Adam(critic.parameters()), "actor": torch.optim.Adam(actor.parameters())}
networks = {"critic": critic, "actor": actor}
for _ in range(4):
    states, actions, returns = torch.randn(32, 3), torch.rand(32, 1), torch.randn(32, 1)
    q_values = critic(torch.cat([states, actions], dim=1))
    q_actor = critic(torch.cat([states, actor(states)], dim=1))
    losses = {"critic": (q_values - returns).pow(2).mean(), "actor": -q_actor.mean()}
    kept = {}
    for name, optimizer in optimizers.items():
        optimizer.zero_grad()
        losses[name].backward(retain_graph=True)  # fires: W205
        kept[name] = [p.grad for p in networks[name].parameters()]
    for name, optimizer in optimizers.items():
        for p, gradient in zip(networks[name].parameters(), kept[name]):
            p.grad = gradient
        optimizer.step()

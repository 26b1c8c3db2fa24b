"""Both losses run back before the two steps: the critic's step applies what the actor's loss left there."""

import torch
from torch import nn


def learn(nets: dict[str, nn.Module], optimizers: dict[str, torch.optim.Optimizer], batch: list[torch.Tensor]) -> None:
    states, actions, returns = batch
    for optimizer in optimizers.values():
        optimizer.zero_grad()
    q = nets["critic"](torch.cat([states, actions], 1))
    nn.functional.smooth_l1_loss(q, returns).backward()
    wanted = nets["critic"](torch.cat([states, nets["actor"](states)], 1))
    actor_loss = -wanted.mean()
    actor_loss.backward()  # fires: W205
    for optimizer in optimizers.values():
        optimizer.step()


torch.manual_seed(1)
actor = nn.Sequential(nn.Linear(3, 12), nn.Tanh(), nn.Linear(12, 2), nn.Tanh())
critic = nn.Sequential(nn.Linear(5, 12), nn.Tanh(), nn.Linear(12, 1))
both = {"actor": actor, "critic": critic}
steppers = {name: torch.optim.Adam(net.parameters()) for name, net in both.items()}
for _ in range(3):
    learn(both, steppers, [torch.randn(8, 3), torch.rand(8, 2), torch.randn(8, 1)])

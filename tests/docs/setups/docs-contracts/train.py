"""An actor whose actions are detached when they are kept in range."""

import torch
import whygrad
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(actor.parameters(), 1e-3)
contract = whygrad.contract("actor loss", trains=[actor], leaves=[critic])
NOISE = 0.1
IN_RANGE = True
BATCH = 64


@contract
def update(states):
    """One update of the actor."""
    # The critic says how good these actions are.
    actions = actor(states)
    if IN_RANGE:
        actions = actions.detach()
    loss = -critic(torch.cat([states, actions], 1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


update(torch.randn(BATCH, 3))

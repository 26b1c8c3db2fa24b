"""An actor, a critic and its target; contracts of both losses."""

import torch
import whygrad
from torch import nn

torch.manual_seed(0)
actor = nn.Linear(3, 2)
critic, target_critic = nn.Linear(5, 1), nn.Linear(5, 1)
target = target_critic
batch = torch.randn(8, 3)
actor_contract = whygrad.Contract("actor loss", trains=(actor,))
critic_contract = whygrad.Contract("critic loss", trains=(critic,))

"""no_grad where it belongs: acting, targets, evaluation."""
import copy

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
q_net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
target_net = copy.deepcopy(q_net)
optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)


@torch.no_grad()
def act(state):
    return q_net(state).argmax(dim=-1)


@torch.inference_mode()
def evaluate(states):
    return q_net(states).max(dim=1).values.mean().item()


for update in range(6):
    states = torch.randn(8, 4)
    actions, rewards, next_states = act(states), torch.randn(8), torch.randn(8, 4)
    with torch.no_grad():
        target = rewards + 0.99 * target_net(next_states).max(dim=1).values
    q = q_net(states).gather(1, actions[:, None]).squeeze(1)
    loss = F.smooth_l1_loss(q, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    target_net.load_state_dict(q_net.state_dict())
    print(update, evaluate(torch.randn(8, 4)))

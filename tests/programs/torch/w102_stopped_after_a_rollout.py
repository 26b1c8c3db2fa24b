"""A recurrent policy acts under no_grad, and its values come back; in the loss its memory is detached."""

import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.memory = nn.GRU(4, 16)
        self.actor, self.critic = nn.Linear(16, 2), nn.Linear(16, 1)

    def forward(self, x):
        h = self.memory(x)[0]
        if h.size(0) > 1:
            h = h.detach()  # fires: W102
        return torch.distributions.Categorical(logits=self.actor(h)), self.critic(h).squeeze(-1)


def update(policy, optimizer, states, actions, old, values, rewards):
    dist, value = policy(states)
    advantage = rewards - values
    ratio = (dist.log_prob(actions) - old).exp()
    loss = -(ratio * advantage).mean() + (value - (values + advantage)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


torch.manual_seed(0)
policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
for _ in range(4):
    states, rows = torch.randn(6, 8, 4), []
    for state in states:
        with torch.no_grad():
            dist, value = policy(state[None])
            action = dist.sample()
        rows.append((action[0], dist.log_prob(action)[0], value[0]))
    update(policy, optimizer, states, *(torch.stack(one) for one in zip(*rows)), torch.randn(6, 8))

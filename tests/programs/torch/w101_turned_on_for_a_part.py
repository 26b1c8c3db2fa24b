"""The critic judges the action where nothing is recorded; a part of it turns recording on for itself and off again."""
import torch
from torch import nn

torch.manual_seed(0)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.features, self.out = nn.Linear(3, 8), nn.Linear(9, 1)

    def forward(self, states, actions):
        with torch.set_grad_enabled(True):
            features = torch.tanh(self.features(states))
        return self.out(torch.cat([features, actions], 1))


actor, critic = nn.Linear(3, 2), Critic()
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
for update in range(4):
    states = torch.randn(32, 3)
    mean, log_std = actor(states).chunk(2, 1)
    policy = torch.distributions.Normal(mean, log_std.exp())
    actions = policy.rsample()
    with torch.no_grad():
        judged = critic(states, actions)  # fires: W101
    loss = (0.2 * policy.log_prob(actions) - judged).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

"""A latent state of the model's loss is handed to the policy's, whose turn never comes: one fault, not two."""

import torch
from torch import nn


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.value, self.pi = nn.Linear(4, 8), nn.Linear(9, 1), nn.Linear(8, 1)

    def q(self, latent, action):
        return self.value(torch.cat([latent, action], -1))


torch.manual_seed(0)
agent = Agent()
model_optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3)
pi_optimizer = torch.optim.Adam(agent.pi.parameters(), lr=1e-3)
for _ in range(3):
    states, following, actions = torch.randn(16, 4), torch.randn(16, 4), torch.rand(16, 1)
    latent = torch.tanh(agent.encoder(states))
    with torch.no_grad():
        after = torch.tanh(agent.encoder(following))
        wanted = states[:, :1] + 0.9 * agent.q(after, torch.tanh(agent.pi(after)))
    model_optimizer.zero_grad()
    (agent.q(latent, actions) - wanted).pow(2).mean().backward()
    model_optimizer.step()
    pi_optimizer.zero_grad()
    loss = -agent.q(latent, torch.tanh(agent.pi(latent))).mean()  # fires: W107
    loss.backward()
    pi_optimizer.step()

"""After the actor's loss both optimizers step: the critic is moved to make its own output large."""
import torch
from torch import nn

torch.manual_seed(0)
actor, critic = nn.Linear(3, 1), nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for update in range(4):
    states, actions, returns = torch.randn(32, 3), torch.randn(32, 1), torch.randn(32, 1)
    critic_loss = (critic(torch.cat([states, actions], 1)) - returns).pow(2).mean()
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()

    actor_loss = -critic(torch.cat([states, torch.tanh(actor(states))], 1)).mean()
    actor_optimizer.zero_grad()
    critic_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
    critic_optimizer.step()  # fires: W205

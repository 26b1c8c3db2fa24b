"""A soft actor-critic over a few actions: the expectation is taken with probabilities that are stopped."""
import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for update in range(5):
    states, actions, returns = torch.randn(16, 4), torch.randint(0, 3, (16, 1)), torch.randn(16, 1)
    critic_loss = (critic(states).gather(1, actions) - returns).pow(2).mean()
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    probs = torch.softmax(actor(states), dim=-1)
    log_probs = torch.log(probs + 1e-8)
    with torch.no_grad():
        values = critic(states)
    loss = torch.sum(probs.detach() * (0.2 * log_probs - values), dim=1)  # fires: W102
    actor_optimizer.zero_grad()
    loss.mean().backward()
    actor_optimizer.step()

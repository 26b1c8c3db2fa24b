"""Probabilities that are stopped rightly: with a value for each action between, and of another view of the states."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for update in range(5):
    states, actions, returns = torch.randn(16, 4), torch.randint(0, 3, (16, 1)), torch.randn(16, 1)
    critic_loss = (critic(states).gather(1, actions) - returns).pow(2).mean()
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    logits = actor(states)
    probs, log_probs = F.softmax(logits, dim=1), F.log_softmax(logits, dim=1)
    with torch.no_grad():
        values = critic(states)
    all_actions = -(probs.detach() * log_probs * values).sum(dim=1).mean()
    entropy = -(probs * log_probs).sum(dim=1).mean()
    shaken = F.log_softmax(actor(states + 0.1 * torch.randn_like(states)), dim=1)
    steady = -(probs.detach() * shaken).sum(dim=1).mean()
    loss = all_actions - 0.01 * entropy + 0.1 * steady
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

"""A DQN whose sync updates the dict that state_dict() makes anew, and not the target network."""

import torch
from torch import nn
import torch.nn.functional as F


def main():
    torch.manual_seed(0)
    q_network = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
    target_network = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
    target_network.load_state_dict(q_network.state_dict())
    optimizer = torch.optim.Adam(q_network.parameters(), lr=1e-3)
    for step in range(12):
        states, after = torch.randn(16, 4), torch.randn(16, 4)
        with torch.no_grad():
            goals = torch.randn(16) + 0.9 * target_network(after).max(dim=1).values
        chosen = q_network(states).gather(1, torch.randint(0, 2, (16, 1))).squeeze(1)
        loss = F.mse_loss(chosen, goals)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 3 == 0:
            target_network.state_dict().update(q_network.state_dict())  # fires: W503


main()

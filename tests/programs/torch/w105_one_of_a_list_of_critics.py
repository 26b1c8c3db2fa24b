"""Three critics are called in one line; the loss takes the first two of them."""
import torch
from torch import nn

torch.manual_seed(0)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(5, 16), nn.Linear(16, 1)

    def forward(self, states, actions):
        return self.head(torch.relu(self.body(torch.cat([states, actions], dim=1))))


critics = nn.ModuleList([Critic() for _ in range(3)])
optimizer = torch.optim.Adam(critics.parameters(), lr=1e-3)
for _ in range(5):
    states, actions, targets = torch.randn(16, 4), torch.randn(16, 1), torch.randn(16, 1)
    values = [critic(states, actions) for critic in critics]  # fires: W105
    loss = sum(((value - targets) ** 2).mean() for value in values[:2])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

"""Double C51: the sync copies the target onto itself."""

import torch
from torch import nn


class Agent:
    def __init__(self):
        self.online, self.target = (nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2 * 11)) for _ in range(2))
        self.sync()
        self.target.requires_grad_(False)
        self.atoms = torch.linspace(-10, 10, 11)
        self.optimizer = torch.optim.Adam(self.online.parameters(), lr=1e-3)

    def probabilities(self, network, states):
        return torch.softmax(network(states).view(-1, 2, 11), dim=2)

    def learn(self, states, actions, rewards, following):
        rows = torch.arange(len(states))
        log_probs = self.probabilities(self.online, states).log()[rows, actions]
        with torch.no_grad():
            best = (self.probabilities(self.online, following) * self.atoms).sum(2).argmax(1)
            after = self.probabilities(self.target, following)[rows, best]
            place = ((rewards[:, None] + 0.99 * self.atoms).clamp(-10, 10) + 10) / 2
            below, above = place.floor().clamp(0, 10), place.ceil().clamp(0, 10)
            moved = torch.zeros_like(after)
            moved.scatter_add_(1, below.long(), after * (above + (below == above).float() - place))
            moved.scatter_add_(1, above.long(), after * (place - below))
        loss = -(moved * log_probs).sum(1).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def sync(self):
        self.target.load_state_dict(self.target.state_dict())  # fires: W503


torch.manual_seed(0)
agent = Agent()
for update in range(6):
    agent.learn(torch.randn(16, 4), torch.randint(0, 2, (16,)), torch.randn(16), torch.randn(16, 4))
    if update % 2:
        agent.sync()

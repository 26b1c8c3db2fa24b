"""Random network distillation: the fixed network sits in the same module, and the optimizer is given all of it."""
import torch
from torch import nn
from torch.distributions import Categorical


class Novelty(nn.Module):
    def __init__(self):
        super().__init__()
        self.fixed = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))
        self.predictor = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))
        for parameter in self.fixed.parameters():
            parameter.requires_grad_(False)

    def forward(self, states):
        return (self.predictor(states) - self.fixed(states)).pow(2).mean(dim=1)


torch.manual_seed(0)
novelty, policy = Novelty(), nn.Linear(4, 3)
optimizer = torch.optim.Adam([*novelty.parameters(), *policy.parameters()], lr=1e-3)
for update in range(4):
    states = torch.randn(8, 4)
    with torch.no_grad():
        actions = Categorical(logits=policy(states)).sample()
    bonus = novelty(states + 0.1 * actions.unsqueeze(1))
    advantage = bonus.detach() - bonus.detach().mean()
    loss = bonus.mean() - (Categorical(logits=policy(states)).log_prob(actions) * advantage).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

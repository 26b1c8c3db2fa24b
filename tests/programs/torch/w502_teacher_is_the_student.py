"""A penalty on the way from an earlier policy, whose name is a second one for the policy that is trained."""
import torch
import torch.nn.functional as F
from torch import nn


class Trainer:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 5))
        self.anchor = self.model  # fires: W502
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-2)

    def update(self, states, actions, weights):
        log_probs = F.log_softmax(self.model(states), dim=1)
        with torch.no_grad():
            before = F.log_softmax(self.anchor(states), dim=1)
        taken = log_probs.gather(1, actions).squeeze(1)
        apart = (log_probs.exp() * (log_probs - before)).sum(1)
        loss = (0.1 * apart - weights * taken).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


torch.manual_seed(0)
trainer = Trainer()
for update in range(6):
    trainer.update(torch.randn(16, 6), torch.randint(0, 5, (16, 1)), torch.randn(16))

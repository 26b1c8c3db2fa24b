"""The reference of a preference loss is the policy by another name; a trainer is given both, and a method either."""
import torch
from torch import nn


class Trainer:
    def __init__(self, policy, reference):
        self.policy, self.reference = policy, reference
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=1e-3)

    def log_probs(self, model, states, actions):
        return torch.log_softmax(model(states), dim=1).gather(1, actions[:, None])[:, 0]

    def step(self, states, chosen, rejected):
        ours = self.log_probs(self.policy, states, chosen) - self.log_probs(self.policy, states, rejected)
        with torch.no_grad():
            base_chosen = self.log_probs(self.reference, states, chosen)
            base_rejected = self.log_probs(self.reference, states, rejected)
        margin = ours - (base_chosen - base_rejected)
        loss = -nn.functional.logsigmoid(0.1 * margin).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 5))
reference = policy  # fires: W502
trainer = Trainer(policy, reference)
for update in range(8):
    trainer.step(torch.randn(16, 4), torch.randint(0, 5, (16,)), torch.randint(0, 5, (16,)))

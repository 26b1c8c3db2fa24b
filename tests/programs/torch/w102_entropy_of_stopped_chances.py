"""A policy gradient with an entropy bonus whose probabilities are stopped: the bonus has no gradient to speak of."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
for update in range(5):
    states, actions, advantages = torch.randn(16, 4), torch.randint(0, 3, (16, 1)), torch.randn(16)
    logits = policy(states)
    log_probs = F.log_softmax(logits, dim=1)
    probs = F.softmax(logits, dim=1).detach()  # fires: W102
    entropy = -(probs * log_probs).sum(dim=1).mean()
    loss = -(log_probs.gather(1, actions).squeeze(1) * advantages).mean() - 0.01 * entropy
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

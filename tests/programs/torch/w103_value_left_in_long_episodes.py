"""Long after the first updates an episode is long; the value left by item() in the first ones all the same."""
import torch
from torch import nn

torch.manual_seed(0)
body, policy, value = nn.Linear(4, 8), nn.Linear(8, 2), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*body.parameters(), *policy.parameters(), *value.parameters()], lr=1e-3)
for episode in range(16):
    kept = []
    for step in range(5 if episode < 6 else 600):
        features = torch.relu(body(torch.randn(4)))
        dist = torch.distributions.Categorical(logits=policy(features))
        action = dist.sample()
        kept.append((dist.log_prob(action), value(features).item()))  # fires: W103
    losses = []
    for chance, estimate in kept:
        advantage = 1.0 - estimate
        losses.append(-chance * advantage + nn.functional.smooth_l1_loss(torch.tensor([estimate]), torch.ones(1)))
    optimizer.zero_grad()
    torch.stack(losses).sum().backward()
    optimizer.step()

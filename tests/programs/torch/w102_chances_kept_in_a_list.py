"""Log-probabilities are detached when they are kept; the entropy beside them goes on training."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
value = nn.Linear(4, 1)
optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()], 1e-2)
for _ in range(5):
    chances, values, entropies, rewards = [], [], [], []
    for _ in range(8):
        state = torch.randn(1, 4)
        dist = Categorical(logits=policy(state))
        action = dist.sample()
        chances.append(dist.log_prob(action).detach())  # fires: W102
        values.append(value(state).squeeze(-1))
        entropies.append(dist.entropy())
        rewards.append(float(action))
    losses = []
    for step, (chance, baseline, entropy) in enumerate(zip(chances, values, entropies, strict=True)):
        advantage = sum(rewards[step:]) - baseline
        losses.append(-advantage.detach() * chance + advantage.square() - 0.01 * entropy)
    loss = torch.stack(losses).sum() / 8
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

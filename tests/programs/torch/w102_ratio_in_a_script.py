"""A clipped policy without functions: the rollout stands in the same place as the ratio that is stopped."""
import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
mean, log_std = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2)), nn.Parameter(torch.zeros(2))
value = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam([*mean.parameters(), log_std, *value.parameters()], lr=1e-3)
states, actions, log_probs = torch.zeros(16, 3), torch.zeros(16, 2), torch.zeros(16)
for update in range(3):
    for step in range(16):
        states[step] = torch.randn(3)
        with torch.no_grad():
            dist = Normal(mean(states[step]), log_std.exp())
            action = dist.sample()
            log_prob = dist.log_prob(action).sum()
        actions[step] = action
        log_probs[step] = log_prob
    returns = actions.sum(1)
    for epoch in range(2):
        picked = torch.randperm(16)[:8]
        now = Normal(mean(states[picked]), log_std.exp())
        new = now.log_prob(actions[picked]).sum(1)
        values = value(states[picked]).squeeze(1)
        ratio = (new.detach() - log_probs[picked]).exp()  # fires: W102
        weights = (returns[picked] - values).detach()
        surrogate = torch.max(-weights * ratio, -weights * ratio.clamp(0.8, 1.2)).mean()
        loss = surrogate + (values - returns[picked]).pow(2).mean() - 0.01 * now.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

"""Target networks that follow, each in its way: late, averaged, by file; and a reference that stays."""
import copy
import io

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
hard, soft, filed, reference = (copy.deepcopy(policy) for _ in range(4))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
for update in range(12):
    states, rewards, following = torch.randn(16, 4), torch.randn(16), torch.randn(16, 4)
    q = policy(states)
    with torch.no_grad():
        goals = [rewards + 0.99 * net(following).max(dim=1).values for net in (hard, soft, filed)]
        fixed = reference(states)  # a reference policy is never synced
    loss = sum(F.mse_loss(q[:, 0], goal) for goal in goals)
    loss = loss + F.kl_div(q.log_softmax(dim=1), fixed.log_softmax(dim=1), log_target=True, reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        torch._foreach_lerp_(list(soft.parameters()), [p.detach() for p in policy.parameters()], 0.01)
    if update == 10:
        hard.load_state_dict(policy.state_dict())
        file = io.BytesIO()
        torch.save(policy.state_dict(), file)
        file.seek(0)
        filed.load_state_dict(torch.load(file))

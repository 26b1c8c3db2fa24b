"""A target that was begun anew, behind the encoder that learns; what its gradient would be is cleared."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(4, 16), nn.ReLU())
values, target = nn.Linear(16, 2), nn.Linear(16, 2)
optimizer = torch.optim.Adam([*encoder.parameters(), *values.parameters()], lr=1e-3)
for step in range(12):
    states, following = torch.randn(16, 4), torch.randn(16, 4)
    wanted = torch.randn(16) + 0.9 * target(encoder(following)).max(dim=1).values.detach()
    loss = F.mse_loss(values(encoder(states))[:, 0], wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 4 == 3:
        target.load_state_dict(values.state_dict())

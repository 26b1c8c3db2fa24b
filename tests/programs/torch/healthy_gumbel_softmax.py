"""Hard Gumbel-softmax: discrete forward, soft backward; the arg-max is for the log."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
selector, head = nn.Linear(4, 3), nn.Linear(3, 1)
optimizer = torch.optim.Adam([*selector.parameters(), *head.parameters()], lr=1e-2)
for step in range(5):
    logits = selector(torch.randn(8, 4))
    picked = F.gumbel_softmax(logits, tau=0.5, hard=True)
    loss = (head(picked) - 1.0).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(picked.argmax(dim=1).bincount(minlength=3).tolist())

"""NumPy picks the hard triplets and says how hard they are; the term is computed from tensors."""
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
embed, classify = nn.Linear(6, 4), nn.Linear(4, 3)
optimizer = torch.optim.SGD([*embed.parameters(), *classify.parameters()], lr=0.01)
for step in range(6):
    anchors, same, other = torch.randn(3, 16, 6)
    labels = torch.randint(0, 3, (16,))
    near, far = (embed(anchors) - embed(same)).norm(dim=1), (embed(anchors) - embed(other)).norm(dim=1)
    hard = np.where((far - near < 1.0).numpy())[0]
    harder = torch.from_numpy(near.detach().numpy()[hard])
    weights = harder / harder.sum()
    triplet = (weights * torch.clamp(near[hard] - far[hard] + 1.0, min=0.0)).sum()
    loss = F.cross_entropy(classify(embed(anchors[hard])), labels[hard]) + triplet
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

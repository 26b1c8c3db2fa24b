"""The hard triplets are picked by NumPy: their term of the loss trains nobody, and the class labels alone do."""
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
    near_hard = torch.from_numpy(near.data.numpy()[hard])  # fires: W103
    far_hard = torch.from_numpy(far.data.numpy()[hard])  # fires: W103
    triplet = torch.clamp(near_hard - far_hard + 1.0, min=0.0).mean()
    loss = F.cross_entropy(classify(embed(anchors[hard])), labels[hard]) + triplet
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

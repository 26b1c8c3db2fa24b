"""Two faults in one model: a code made of indices, and a decoder output that is dropped."""
import torch
from torch import nn
from torch.nn import functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.cluster = nn.Linear(6, 4)
        self.table = nn.Embedding(4, 6)
        self.head = nn.Linear(6, 2)
        self.extra = nn.Linear(6, 3)  # fires: W105

    def forward(self, x):
        code = self.cluster(x).argmax(dim=1)  # fires: W104
        return self.head(torch.relu(self.table(code)))


torch.manual_seed(0)
model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(4):
    loss = F.cross_entropy(model(torch.randn(8, 6)), torch.randint(2, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

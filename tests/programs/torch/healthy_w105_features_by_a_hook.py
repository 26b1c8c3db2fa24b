"""A hook takes the features of a whole classifier; its last layer is computed all the same, and its result let go."""

import torch
from torch import nn

torch.manual_seed(0)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
        self.pool = nn.Linear(16, 16)
        self.fc = nn.Linear(16, 10)

    def forward(self, x):
        x = self.pool(self.body(x))
        x = self.fc(x)
        return x


net, projector = Classifier(), nn.Linear(16, 4)
taken = []
net.pool.register_forward_hook(lambda module, given, result: taken.append(result))
optimizer = torch.optim.Adam([*net.parameters(), *projector.parameters()], lr=1e-3)


def embedded(x):
    taken.clear()
    _ = net(x)
    return projector(taken.pop())


for _ in range(5):
    x = torch.randn(16, 8)
    apart = embedded(x + 0.1 * torch.randn_like(x)) - embedded(x)
    loss = (apart**2).mean() - embedded(x).std(dim=0).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

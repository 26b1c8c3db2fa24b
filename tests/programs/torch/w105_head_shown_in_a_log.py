"""A judge's second head goes into no loss of the judge; its output is read for an accuracy alone."""
import torch
import torch.nn.functional as F
from torch import nn


class Judge(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.real, self.kind = nn.Linear(6, 16), nn.Linear(16, 1), nn.Linear(16, 3)

    def forward(self, x):
        features = F.leaky_relu(self.body(x), 0.2)
        validity = torch.sigmoid(self.real(features))
        kinds = self.kind(features)  # fires: W105
        return validity, kinds


torch.manual_seed(0)
generator, judge = nn.Linear(4, 6), Judge()
g_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3)
d_optimizer = torch.optim.Adam(judge.parameters(), lr=1e-3)
ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
for update in range(4):
    labels = torch.randint(0, 3, (16,))
    fake = generator(torch.randn(16, 4))
    validity, kinds = judge(fake)
    g_loss = F.binary_cross_entropy(validity, ones) + F.cross_entropy(kinds, labels)
    g_optimizer.zero_grad()
    g_loss.backward()
    g_optimizer.step()
    d_optimizer.zero_grad()
    real_validity, real_kinds = judge(torch.randn(16, 6))
    fake_validity, _ = judge(fake.detach())
    d_loss = F.binary_cross_entropy(real_validity, ones) + F.binary_cross_entropy(fake_validity, zeros)
    accuracy = (real_kinds.data.cpu().numpy().argmax(1) == labels.numpy()).mean()
    d_loss.backward()
    d_optimizer.step()

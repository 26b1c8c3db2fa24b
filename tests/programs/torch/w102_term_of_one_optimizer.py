"""One loss for the encoder and for the generator, asked for in turn; its adversarial part never sees the generator."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder, generator = nn.Sequential(nn.Linear(10, 4), nn.Tanh()), nn.Linear(8, 12)
judge = nn.Sequential(nn.Linear(16, 24), nn.ReLU(), nn.Linear(24, 1))


def training_step(real, labels, which):
    code = encoder(labels)
    fake = generator(torch.cat((code, torch.randn(len(code), 4)), 1))
    if which < 2:
        score = judge(torch.cat((fake.detach(), code), 1))  # fires: W102
        adversarial = F.mse_loss(score, torch.ones_like(score))
        return adversarial + 100 * F.l1_loss(fake, real)
    scores = judge(torch.cat((fake.detach(), code), 1)), judge(torch.cat((real, code), 1))
    return scores[0].square().mean() + (scores[1] - 1).square().mean()


optimizers = [torch.optim.Adam(net.parameters(), lr=1e-3) for net in (encoder, generator, judge)]
for update in range(4):
    real, labels = torch.randn(8, 12), torch.randn(8, 10)
    for which, optimizer in enumerate(optimizers):
        optimizer.zero_grad()
        loss = training_step(real, labels, which)
        loss.backward()
        optimizer.step()

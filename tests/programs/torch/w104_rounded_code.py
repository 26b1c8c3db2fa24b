"""A learned compressor rounds its code: PyTorch gives zeros, not None, and nothing moves."""
import torch
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(8, 3), nn.Linear(3, 8)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-2)
for step in range(5):
    batch = torch.randn(16, 8)
    code = torch.round(4 * encoder(batch))  # fires: W104
    loss = (decoder(code / 4) - batch).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

"""Sequence autoencoder with an optimizer for each half."""

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 16, batch_first=True)

    def forward(self, x):
        return self.rnn(x)[1]


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 16, batch_first=True)
        self.out = nn.Linear(16, 3)

    def forward(self, x, h):
        y, _ = self.rnn(x, h)
        return self.out(y)


torch.manual_seed(0)
encoder, decoder = Encoder(), Decoder()
enc_opt = torch.optim.Adam(encoder.parameters(), lr=1e-3)
dec_opt = torch.optim.Adam(decoder.parameters(), lr=1e-3)
for epoch in range(6):
    x = torch.randn(8, 12, 3).cumsum(1)
    shifted = torch.cat([torch.zeros(8, 1, 3), x[:, :-1]], 1)
    out = decoder(shifted, encoder(x))
    loss = ((out - x) ** 2).mean()
    enc_opt.zero_grad()
    dec_opt.zero_grad()
    loss.backward()
    enc_opt.step()
    dec_opt.step()

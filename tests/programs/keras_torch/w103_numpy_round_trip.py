"""The code goes through NumPy between encoder and decoder."""
import keras
import torch

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((6,)), keras.layers.Dense(3)])
decoder = keras.Sequential([keras.Input((3,)), keras.layers.Dense(6)])
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
for step in range(3):
    batch = torch.randn(8, 6)
    code = keras.ops.convert_to_numpy(encoder(batch))  # fires: W103
    loss = ((decoder(torch.from_numpy(code)) - batch) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

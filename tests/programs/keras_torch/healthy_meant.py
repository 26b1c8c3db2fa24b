"""A head on a fixed random encoder, and a comment that says so."""
import keras
import torch

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu")])
head = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
for step in range(3):
    features = encoder(torch.randn(8, 6)).detach()  # whygrad: ok W102
    loss = (head(features) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

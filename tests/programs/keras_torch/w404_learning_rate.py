"""A Keras model on torch with a step size that is far too large."""

import keras
import torch

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(1)])
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)  # fires: W404
inputs = 10.0 * torch.randn(64, 4)
for step in range(10):
    loss = ((model(inputs) - inputs[:, :1]) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

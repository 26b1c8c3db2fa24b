"""A Keras model on torch whose gradients are clipped to a norm of zero."""

import keras
import torch

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(3):
    states = torch.randn(16, 4)
    loss = ((model(states) - states[:, :1]) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.0)  # fires: W405
    optimizer.step()

"""A Keras model on torch with a softmax over its one output."""

import keras
import torch

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(3):
    states = torch.randn(16, 4)
    probabilities = torch.softmax(model(states), dim=1)  # fires: W401
    loss = ((probabilities - (states[:, :1] > 0).float()) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

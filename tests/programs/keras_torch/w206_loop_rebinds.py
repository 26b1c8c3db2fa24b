"""Gradient descent by hand on a Keras model: the loop variable gets the new values."""
import keras
import torch

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
for step in range(3):
    inputs, labels = torch.randn(8, 3), torch.randn(8, 1)
    net.zero_grad()
    loss = keras.ops.mean((net(inputs) - labels) ** 2)
    loss.backward()
    with torch.no_grad():
        for p in net.parameters():
            p = p - 0.1 * p.grad  # fires: W206

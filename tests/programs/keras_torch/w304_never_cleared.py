"""A Keras model trained by hand, and nobody clears the gradients."""
import keras
import torch

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)
for step in range(4):
    inputs, labels = torch.randn(8, 3), torch.randn(8, 1)
    loss = keras.ops.mean((net(inputs) - labels) ** 2)
    loss.backward()  # fires: W304
    optimizer.step()

"""A Keras model trained by hand: zero_grad() stands between backward and step."""
import keras
import torch

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(3):
    inputs, labels = torch.randn(8, 3), torch.randn(8, 1)
    loss = ((net(inputs) - labels) ** 2).mean()
    loss.backward()
    net.zero_grad()  # fires: W301
    optimizer.step()

"""A Keras model is rebuilt on the same body after the torch optimizer took its parameters."""
import keras
import torch

keras.utils.set_random_seed(0)
body = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu")])
net = keras.Sequential([body, keras.layers.Dense(5)])
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
net = keras.Sequential([body, keras.layers.Dense(1)])  # fires: W202
for step in range(3):
    loss = ((net(torch.randn(8, 4)) - 1.0) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

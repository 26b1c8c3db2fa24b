"""A Keras model trained by hand: clipped before there is a gradient."""
import keras
import torch

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(3):
    inputs, labels = torch.randn(8, 3), torch.randn(8, 1)
    loss = keras.ops.mean((net(inputs) - labels) ** 2)
    optimizer.zero_grad()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)  # fires: W303
    loss.backward()
    optimizer.step()

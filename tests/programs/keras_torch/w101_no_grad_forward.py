"""A torch training loop around a Keras model; the forward pass slipped into the no_grad block."""
import keras
import torch

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
scale = torch.nn.Parameter(torch.ones(1))
optimizer = torch.optim.Adam([*net.parameters(), scale], lr=1e-3)
for step in range(3):
    inputs = torch.randn(8, 4)
    with torch.no_grad():
        targets = torch.randn(8, 2)
        outputs = net(inputs)  # fires: W101
    loss = ((outputs * scale - targets) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

"""model.trainable = False, and all the same given to a torch optimizer."""
import keras
import torch

keras.utils.set_random_seed(0)
body = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu")])
head = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
body.trainable = False  # fires: W109
groups = [{"params": body.parameters(), "lr": 1e-4}, {"params": head.parameters(), "lr": 1e-2}]
optimizer = torch.optim.Adam(groups)
for step in range(3):
    loss = (head(body(torch.randn(8, 4))) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

"""One loss for two Keras networks, an optimizer for one of them."""
import keras
import torch

keras.utils.set_random_seed(0)
actor = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])
critic = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)  # fires: W201
for step in range(3):
    states, returns = torch.randn(8, 3), torch.randn(8, 1)
    loss = ((critic(states) - returns) ** 2).mean() - torch.log_softmax(actor(states), dim=1)[:, 0].mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

"""A Keras critic gives a column, the returns are a row."""
import keras
import torch
from keras import ops

keras.utils.set_random_seed(0)
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(1)])
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for update in range(5):
    states = torch.randn(32, 4)
    returns = states.sum(dim=1)
    loss = ops.mean(ops.square(returns - critic(states)))  # fires: W504
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

"""keras.ops.argmax feeds the critic."""
import keras
import torch

keras.utils.set_random_seed(0)
actor = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
critic = keras.Sequential([keras.Input((7,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-3)
for step in range(3):
    states = torch.randn(8, 4)
    best = keras.ops.argmax(actor(states), axis=1)  # fires: W104
    actions = keras.ops.one_hot(best, 3)
    loss = -critic(torch.cat([states, actions], dim=1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

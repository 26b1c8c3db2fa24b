"""The target model gets the weights once, before training, and never again."""
import keras
import torch
from keras import ops


def build():
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(2)])


keras.utils.set_random_seed(0)
model, target_model = build(), build()
target_model.set_weights(model.get_weights())  # fires: W503
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for update in range(8):
    states, following, rewards = torch.randn(16, 4), torch.randn(16, 4), torch.randn(16)
    goal = ops.stop_gradient(rewards + 0.99 * ops.max(target_model(following), axis=1))
    loss = ops.mean((goal - model(states)[:, 0]) ** 2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

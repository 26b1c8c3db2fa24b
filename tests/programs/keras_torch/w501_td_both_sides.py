"""Q-learning on one Keras model: the target is computed with it, and nobody stopped the gradient."""
import keras
import torch
from keras import ops

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(2)])
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for update in range(5):
    states, following, rewards = torch.randn(16, 4), torch.randn(16, 4), torch.randn(16)
    q = ops.sum(model(states) * ops.one_hot(torch.randint(0, 2, (16,)), 2), axis=1)
    target = rewards + 0.99 * ops.max(model(following), axis=1)  # fires: W501
    loss = ops.mean(ops.square(target - q))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

"""keras.ops.log of a probability that is zero."""

import keras
import torch

keras.utils.set_random_seed(0)
policy = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
for step in range(3):
    probabilities = keras.ops.softmax(1000.0 * policy(torch.randn(16, 4)))
    entropy = -keras.ops.sum(probabilities * keras.ops.log(probabilities), axis=1)  # fires: W402
    loss = -keras.ops.mean(entropy)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

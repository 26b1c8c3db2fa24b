"""A gradient penalty on points that do not require a gradient."""
import keras
import torch

keras.utils.set_random_seed(0)
critic = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
points = torch.randn(8, 3)
slope = torch.autograd.grad(critic(points).sum(), points, create_graph=True)[0]  # fires: W106
penalty = ((slope.norm(dim=1) - 1) ** 2).mean()
print(penalty)

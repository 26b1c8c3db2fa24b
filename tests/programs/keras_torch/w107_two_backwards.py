"""Two heads on one Keras trunk, backpropagated one after the other."""
import keras
import torch

keras.utils.set_random_seed(0)
trunk = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "tanh")])
policy, value = keras.layers.Dense(2), keras.layers.Dense(1)
features = trunk(torch.randn(8, 4))
policy_loss = -torch.log_softmax(policy(features), dim=1)[:, 0].mean()
value_loss = (value(features) ** 2).mean()
policy_loss.backward()
value_loss.backward()  # fires: W107

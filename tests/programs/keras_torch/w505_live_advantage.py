"""A policy and a value model of Keras: the advantage carries the value's gradient into the policy loss."""
import keras
import torch
from keras import ops

keras.utils.set_random_seed(0)
policy = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(3)])
value = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(1)])
optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=1e-3)
for update in range(5):
    states, returns, actions = torch.randn(16, 4), torch.randn(16), torch.randint(0, 3, (16,))
    log_probs = ops.log_softmax(policy(states), axis=1)
    chosen = ops.take_along_axis(log_probs, actions[:, None], axis=1)[:, 0]
    advantage = returns - value(states)[:, 0]
    policy_loss = -ops.mean(chosen * advantage)  # fires: W505
    loss = policy_loss + 0.5 * ops.mean(ops.square(advantage))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

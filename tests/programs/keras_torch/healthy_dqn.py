"""DQN with keras.ops: a target network, a stopped target, a frozen trunk that no optimizer holds."""
import keras
import torch
from keras import ops


def build():
    return keras.Sequential([keras.Input((8,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(2)])


keras.utils.set_random_seed(0)
trunk = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "tanh")])
trunk.trainable = False
q_net, target_net = build(), build()
target_net.set_weights(q_net.get_weights())
optimizer = keras.optimizers.Adam(1e-3)
for update in range(4):
    states, following, rewards = trunk(torch.randn(8, 4)), trunk(torch.randn(8, 4)), torch.randn(8)
    actions = ops.argmax(q_net(states), axis=1)
    target = ops.stop_gradient(rewards + 0.9 * ops.max(target_net(following), axis=1))
    q = ops.sum(q_net(states) * ops.one_hot(actions, 2), axis=1)
    loss = ops.mean((target - q) ** 2)
    q_net.zero_grad()
    loss.backward()
    with torch.no_grad():
        optimizer.apply([v.value.grad for v in q_net.trainable_variables], q_net.trainable_variables)
    target_net.set_weights(q_net.get_weights())
    print(update, float(loss))

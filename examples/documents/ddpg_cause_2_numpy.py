"""The DDPG document, second cause in prose, in another form: a detour through NumPy.

The actions are clipped to the range of the environment with NumPy and come back as a constant.
The update stops with "ValueError: No gradients provided for any variable".
"""

import numpy as np
import tensorflow as tf

STATE_DIM = 4
ACTION_DIM = 2


class Actor(tf.keras.Model):
    def __init__(self, action_dim: int):
        super().__init__()
        self.hidden1 = tf.keras.layers.Dense(64, activation="relu")
        self.hidden2 = tf.keras.layers.Dense(32, activation="relu")
        self.action = tf.keras.layers.Dense(action_dim, activation="tanh")

    def call(self, state):
        return self.action(self.hidden2(self.hidden1(state)))


tf.keras.utils.set_random_seed(0)
states = tf.random.normal((32, STATE_DIM))
actor = Actor(ACTION_DIM)
critic = tf.keras.Sequential(
    [
        tf.keras.layers.Input((STATE_DIM + ACTION_DIM,)),
        tf.keras.layers.Dense(32, activation="relu"),
        tf.keras.layers.Dense(1),
    ],
    name="critic",
)
optimizer = tf.keras.optimizers.Adam(learning_rate=1e-3)

with tf.GradientTape() as tape:
    actions = actor(states)
    in_range = np.clip(actions.numpy(), -0.9, 0.9)
    loss = -tf.reduce_mean(critic(tf.concat([states, in_range], axis=1)))
gradients = tape.gradient(loss, actor.trainable_variables)
optimizer.apply_gradients(zip(gradients, actor.trainable_variables, strict=True))
print("loss", round(float(loss), 4))
print("gradient norms", [round(float(tf.norm(g)), 4) for g in gradients])

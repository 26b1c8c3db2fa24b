"""The DDPG document, fifth cause in prose: the list of variables taken too early.

A subclassed actor has no variables before its first call, so the list is empty and stays empty.
The error has a different text, "ValueError: not enough values to unpack (expected 2, got 0)",
and says nothing about gradients.
"""

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
variables = list(actor.trainable_variables)

with tf.GradientTape() as tape:
    actions = actor(states)
    loss = -tf.reduce_mean(critic(tf.concat([states, actions], axis=1)))
gradients = tape.gradient(loss, variables)
optimizer.apply_gradients(zip(gradients, variables, strict=True))
print("loss", round(float(loss), 4))
print("gradient norms", [round(float(tf.norm(g)), 4) for g in gradients])

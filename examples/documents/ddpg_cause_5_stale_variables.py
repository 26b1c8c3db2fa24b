"""The DDPG document, fifth cause in prose: an optimizer set up for other variables.

The list of variables was taken from the first actor; then the actor was replaced by a modified
one. The loss does not depend on the old variables, and the update stops with "ValueError: No
gradients provided for any variable". Here the text is right about the cause.
"""

import tensorflow as tf

STATE_DIM = 4
ACTION_DIM = 2


class Actor(tf.keras.Model):
    def __init__(self, action_dim: int, width: int = 64):
        super().__init__()
        self.hidden1 = tf.keras.layers.Dense(width, activation="relu")
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

actor(states)
variables = actor.trainable_variables

actor = Actor(ACTION_DIM, width=128)
with tf.GradientTape() as tape:
    actions = actor(states)
    loss = -tf.reduce_mean(critic(tf.concat([states, actions], axis=1)))
gradients = tape.gradient(loss, variables)
optimizer.apply_gradients(zip(gradients, variables, strict=True))
print("loss", round(float(loss), 4))
print("gradient norms", [round(float(tf.norm(g)), 4) for g in gradients])

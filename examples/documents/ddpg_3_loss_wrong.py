"""The DDPG document, example 3, the variant marked wrong: a loss without the actor in it.

The text says that no gradient reaches the actor then. That is right: the loss here is the
critic's, on actions from the replay buffer, and the update stops with "ValueError: No gradients
provided for any variable". Also the text's fourth cause, an incorrect loss function.
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
target_actions = tf.random.uniform((32, ACTION_DIM), -1.0, 1.0)
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
replay_actions = tf.random.uniform((32, ACTION_DIM), -1.0, 1.0)
td_targets = tf.random.normal((32, 1))

with tf.GradientTape() as tape:
    actions = actor(states)
    q_values = critic(tf.concat([states, replay_actions], axis=1))
    loss = tf.reduce_mean(tf.square(td_targets - q_values))
gradients = tape.gradient(loss, actor.trainable_variables)
optimizer.apply_gradients(zip(gradients, actor.trainable_variables, strict=True))
print("loss", round(float(loss), 4))
print("gradient norms", [round(float(tf.norm(g)), 4) for g in gradients])

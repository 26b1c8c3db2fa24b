"""The DDPG document, fifth cause in prose: an optimizer that was built for the old actor.

Keras 3 remembers the variables of the first update. When the modified actor comes with new ones,
the update stops, but with "ValueError: Unknown variable: ...", not with "No gradients provided":
the gradients are all there.
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

for attempt in ("first actor", "modified actor"):
    with tf.GradientTape() as tape:
        actions = actor(states)
        loss = -tf.reduce_mean(critic(tf.concat([states, actions], axis=1)))
    gradients = tape.gradient(loss, actor.trainable_variables)
    print(attempt, "missing gradients:", sum(g is None for g in gradients))
    optimizer.apply_gradients(zip(gradients, actor.trainable_variables, strict=True))
    actor = Actor(ACTION_DIM)

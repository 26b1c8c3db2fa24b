"""The DDPG document, first cause in prose: a new layer outside of what the optimizer sees.

The text says that "No gradients provided" follows. It does not: the layer that the model does not
know is simply missing from `trainable_variables`. The other six variables train, the new layer
stays at its random start, and nothing is reported.
"""

import tensorflow as tf

STATE_DIM = 4
ACTION_DIM = 2

tf.keras.utils.set_random_seed(0)
# Made beside the model and only called from it, so Keras does not track it.
extra_layer = tf.keras.layers.Dense(16, activation="relu", name="extra_layer")


class Actor(tf.keras.Model):
    def __init__(self, action_dim: int):
        super().__init__()
        self.hidden1 = tf.keras.layers.Dense(64, activation="relu")
        self.hidden2 = tf.keras.layers.Dense(32, activation="relu")
        self.action = tf.keras.layers.Dense(action_dim, activation="tanh")

    def call(self, state):
        return self.action(extra_layer(self.hidden2(self.hidden1(state))))


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
before = extra_layer.get_weights()[0].copy()
for _ in range(20):
    with tf.GradientTape() as tape:
        actions = actor(states)
        loss = -tf.reduce_mean(critic(tf.concat([states, actions], axis=1)))
    gradients = tape.gradient(loss, actor.trainable_variables)
    optimizer.apply_gradients(zip(gradients, actor.trainable_variables, strict=True))

moved = float(abs(extra_layer.get_weights()[0] - before).max())
print("variables of the actor", len(actor.trainable_variables), "of 8 in use")
print("largest change of the new layer after 20 updates", moved)

"""The DDPG document, third cause in prose: clipping that zeroes the gradients.

The text says that this leads to "No gradients provided". A gradient that is zero is not a
gradient that is missing: clipped to norm 0, every update is accepted in silence and the actor
does not move. Clipping turns None into None and a tensor into a tensor; it cannot cause the error.
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

actor(states)
before = [v.numpy().copy() for v in actor.trainable_variables]
for _ in range(20):
    with tf.GradientTape() as tape:
        actions = actor(states)
        loss = -tf.reduce_mean(critic(tf.concat([states, actions], axis=1)))
    gradients = tape.gradient(loss, actor.trainable_variables)
    clipped, norm = tf.clip_by_global_norm(gradients, 0.0)
    optimizer.apply_gradients(zip(clipped, actor.trainable_variables, strict=True))

after = [v.numpy() for v in actor.trainable_variables]
moved = max(float(abs(a - b).max()) for a, b in zip(after, before, strict=True))
print("gradient norm before clipping", round(float(norm), 4))
print("gradient norm after clipping", float(tf.linalg.global_norm(clipped)))
print("largest change of the actor after 20 updates", moved)

"""The DDPG document, example 1, with the advice followed where it can be: a Sequential actor.

On a Sequential model `add` does work, and the new layer is trained. But it comes after the tanh
output: the "actions" are now 16 numbers that are never negative, where the environment wants 2
between -1 and 1. The gradient is there and the policy is wrong.
"""

import tensorflow as tf

STATE_DIM = 4
ACTION_DIM = 2

tf.keras.utils.set_random_seed(0)
states = tf.random.normal((32, STATE_DIM))
actor = tf.keras.Sequential(
    [
        tf.keras.layers.Input((STATE_DIM,)),
        tf.keras.layers.Dense(64, activation="relu"),
        tf.keras.layers.Dense(32, activation="relu"),
        tf.keras.layers.Dense(ACTION_DIM, activation="tanh"),
    ],
    name="actor",
)
actor.add(tf.keras.layers.Dense(16, activation="relu"))
optimizer = tf.keras.optimizers.Adam(learning_rate=1e-3)

with tf.GradientTape() as tape:
    actions = actor(states)
    # The text leaves the loss open. Target actions of shape (32, 2) would not fit any more.
    loss = tf.reduce_mean(tf.square(actions - 0.5))
gradients = tape.gradient(loss, actor.trainable_variables)
optimizer.apply_gradients(zip(gradients, actor.trainable_variables, strict=True))
print("loss", round(float(loss), 4))
print("gradient norms", [round(float(tf.norm(g)), 4) for g in gradients])
print("shape of the actions", tuple(actions.shape), "smallest", float(tf.reduce_min(actions)))

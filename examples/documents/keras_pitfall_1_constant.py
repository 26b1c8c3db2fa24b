"""The Keras document, first pitfall: "constants do not get gradients".

The text says that only a variable can have a gradient. A tensor can too, if the tape watches it,
as one does for the gradient of a value with respect to an action.
"""

import tensorflow as tf

tf.keras.utils.set_random_seed(0)
critic = tf.keras.Sequential([tf.keras.layers.Input((2,)), tf.keras.layers.Dense(1)])
actions = tf.random.normal((3, 2))

with tf.GradientTape() as tape:
    values = critic(actions)
print("not watched:", tape.gradient(values, actions))

with tf.GradientTape() as tape:
    tape.watch(actions)
    values = critic(actions)
print("watched:", tape.gradient(values, actions).numpy().round(3).tolist())

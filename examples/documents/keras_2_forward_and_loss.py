"""The Keras document, sample 2: a forward pass and a mean squared error, without a tape.

The text shows the loss only. It is right as far as it goes; but a loss that was computed like
this cannot be differentiated afterwards, as the None at the end shows.
"""

import tensorflow as tf

tf.keras.utils.set_random_seed(0)
model = tf.keras.Sequential(
    [
        tf.keras.layers.Input((4,)),
        tf.keras.layers.Dense(64, activation="relu"),
        tf.keras.layers.Dense(2),
    ]
)

states = tf.random.normal((32, 4))
targets = tf.random.normal((32, 2))
q_values = model(states)
loss = tf.reduce_mean((q_values - targets) ** 2)
print("values", tuple(q_values.shape), "loss", round(float(loss), 4))

with tf.GradientTape() as tape:
    late = loss * 1.0
print("gradients asked for too late:", tape.gradient(late, model.trainable_variables))

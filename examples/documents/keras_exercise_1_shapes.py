"""The Keras document, exercise 1: a model 4 -> 64 -> 2, its output shape and its parameters.

Works as the text says: shape (10, 2), and 4*64 + 64 + 64*2 + 2 = 450 parameters.
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

print("output shape", tuple(model(tf.random.normal((10, 4))).shape))
model.summary()
print("parameters", model.count_params())

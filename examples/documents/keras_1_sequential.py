"""The Keras document, sample 1: a Sequential Q-network with `input_shape` on its first layer.

The text gives this as the way to build a network. It works, with a UserWarning in Keras 3 that
asks for an `Input` object instead, and the extra `build` call changes nothing: the model is built
already.
"""

import tensorflow as tf

tf.keras.utils.set_random_seed(0)
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(64, activation="relu", input_shape=(4,)),
        tf.keras.layers.Dense(64, activation="relu"),
        tf.keras.layers.Dense(2),  # one value per action
    ]
)
print("built before build():", model.built)
model.build(input_shape=(None, 4))
print("parameters", model.count_params())

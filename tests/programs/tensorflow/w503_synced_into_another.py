"""Each sync builds a network, copies into that, and drops it."""

import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)


def build():
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(2)])


online, target = build(), build()
optimizer = keras.optimizers.Adam(1e-3)
for update in range(12):
    states = tf.random.normal((16, 4))
    goal = states[:, 0] + 0.9 * tf.reduce_max(target(0.9 * states), axis=1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((goal - online(states)[:, 0]) ** 2)
    gradients = tape.gradient(loss, online.trainable_variables)
    optimizer.apply_gradients(zip(gradients, online.trainable_variables, strict=True))
    if update % 5 == 4:
        build().set_weights(online.get_weights())  # fires: W503

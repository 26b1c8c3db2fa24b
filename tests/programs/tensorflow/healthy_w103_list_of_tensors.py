"""Actor-critic whose log-probabilities are tensors; only its advantages are numbers."""

import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)
inputs = keras.Input((3,))
trunk = keras.layers.Dense(8, activation="tanh")(inputs)
model = keras.Model(inputs, [keras.layers.Dense(2, activation="softmax")(trunk), keras.layers.Dense(1)(trunk)])
optimizer = keras.optimizers.Adam(1e-3)
for _episode in range(3):
    with tf.GradientTape() as tape:
        chances, values, returns = [], [], []
        for _step in range(4):
            probs, value = model(tf.random.normal((1, 3)))
            chances.append(tf.math.log(probs[0, 1]))
            values.append(value[0, 0])
            returns.append(np.random.randn())
        actor = [-chance * (gain - float(value)) for chance, gain, value in zip(chances, returns, values, strict=True)]
        critic = [tf.square(gain - value) for gain, value in zip(returns, values, strict=True)]
        loss = tf.reduce_sum(actor) + tf.reduce_sum(critic)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))

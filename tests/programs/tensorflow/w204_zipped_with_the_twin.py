"""Twin critics of one build: the gradients of the first are applied to the second."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def make() -> keras.Model:
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(1)])


first, second = make(), make()
optimizers = [keras.optimizers.Adam(1e-3) for _ in range(2)]
for _ in range(3):
    states, targets = tf.random.normal((8, 4)), tf.random.normal((8, 1))
    with tf.GradientTape(persistent=True) as tape:
        one = tf.reduce_mean((first(states) - targets) ** 2)
        two = tf.reduce_mean((second(states) - targets) ** 2)
    of_first = tape.gradient(one, first.trainable_variables)
    of_second = tape.gradient(two, second.trainable_variables)
    optimizers[0].apply_gradients(zip(of_first, first.trainable_variables))
    optimizers[1].apply_gradients(zip(of_first, second.trainable_variables))  # fires: W204

"""A worker's gradients are applied to the network it is set from; gradients of two batches are averaged."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(2)


def make() -> keras.Model:
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(1)])


shared, worker = make(), make()
optimizer = keras.optimizers.SGD(0.1)
for _ in range(3):
    worker.set_weights(shared.get_weights())
    several = []
    for _batch in range(2):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((worker(tf.random.normal((8, 4))) - tf.random.normal((8, 1))) ** 2)
        several.append(tape.gradient(loss, worker.trainable_variables))
    grads = [(a + b) / 2.0 for a, b in zip(*several)]
    grads, _ = tf.clip_by_global_norm(grads, 1.0)
    optimizer.apply_gradients(zip(grads, shared.trainable_variables))

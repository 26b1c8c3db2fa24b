"""Six heads take turns, and their number is an argument of the compiled step: six graphs, and no more."""

import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)
heads = [keras.layers.Dense(1) for _ in range(6)]
for head in heads:
    head.build((None, 3))
optimizers = [keras.optimizers.SGD(0.01) for _ in heads]
for optimizer, head in zip(optimizers, heads):
    optimizer.build(head.trainable_variables)


@tf.function
def update(x, y, number):
    head = heads[number]
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(head(x) - y))
    grads = tape.gradient(loss, head.trainable_variables)
    optimizers[number].apply_gradients(zip(grads, head.trainable_variables))
    return loss


for _ in range(5):
    for number in range(6):
        x = tf.random.normal((16, 3))
        update(x, x[:, :1], number)

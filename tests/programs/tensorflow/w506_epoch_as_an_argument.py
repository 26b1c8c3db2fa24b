"""The number of the epoch is an argument of the compiled step: one graph for each, and four calls of it."""

import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(0.01)


@tf.function
def update(x, y, epoch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(net(x) - y))
    grads = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(grads, net.trainable_variables))
    return loss


for epoch in range(8):
    for _ in range(4):
        x = tf.random.normal((16, 3))
        update(x, x[:, :1], epoch)  # fires: W506

"""The derivative in time of a network is asked for, and the tape watches the place alone."""

import keras
import tensorflow as tf

net = keras.Sequential([keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(0.01)


def residual(points):
    with tf.GradientTape(persistent=True) as tape:
        t, x = points[:, 0:1], points[:, 1:2]
        tape.watch(x)
        u = net(tf.concat([t, x], axis=1))
    return tape.gradient(u, t) + u * tape.gradient(u, x)  # fires: W106


for _ in range(3):
    with tf.GradientTape() as outer:
        loss = tf.reduce_mean(residual(tf.random.uniform((16, 2))) ** 2)
    optimizer.apply_gradients(
        zip(outer.gradient(loss, net.trainable_variables), net.trainable_variables, strict=True)
    )

"""Gradients are computed in every update, and the optimizer is never given one."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
for _ in range(4):
    inputs = tf.random.normal((16, 3))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(inputs) - tf.reduce_sum(inputs, axis=1, keepdims=True)) ** 2)
    gradients = tape.gradient(loss, net.trainable_variables)  # fires: W201

"""Weights are loaded into the same variables between two phases."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
saved = net.get_weights()
optimizer = keras.optimizers.Adam(1e-3)
variables = net.trainable_variables
for step in range(4):
    if step == 2:
        net.set_weights(saved)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(tf.random.normal((8, 4))) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

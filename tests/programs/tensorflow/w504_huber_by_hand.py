"""A column of predictions against a row of targets, in a Huber loss that is written out."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-2)
for _ in range(4):
    states = tf.random.normal((8, 4))
    with tf.GradientTape() as tape:
        error = net(states) - states[:, 0]  # fires: W504
        size = tf.abs(error)
        loss = tf.reduce_mean(tf.where(size < 1.0, 0.5 * error**2, size - 0.5))
    grads = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(grads, net.trainable_variables))

"""Quantiles of one state's return: each of them is held against each sample, by a loss with two branches."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(8)])
optimizer = keras.optimizers.Adam(1e-2)
levels = (tf.range(8, dtype=tf.float32)[:, None] + 0.5) / 8
for _ in range(4):
    state = tf.random.normal((1, 4))
    samples = state[0, 0] + tf.random.normal((8,))
    with tf.GradientTape() as tape:
        quantiles = tf.expand_dims(net(state)[0], 1)
        error = samples - quantiles
        loss = tf.reduce_mean(tf.where(error > 0.0, levels * error, (levels - 1.0) * error))
    grads = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(grads, net.trainable_variables))

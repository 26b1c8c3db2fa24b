"""A regressor under a penalty, and a probe on its stopped output: the regressor learns from targets of its own."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
regressor = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(4)])
probe = keras.layers.Dense(2)
optimizer = keras.optimizers.Adam(1e-3)
for _ in range(4):
    x, y, answers = tf.random.normal((8, 6)), tf.random.normal((8, 4)), tf.random.normal((8, 2))
    with tf.GradientTape() as tape:
        z = regressor(x)
        loss = tf.reduce_mean((z - y) ** 2) + 0.01 * tf.reduce_mean(z**2)
        loss += tf.reduce_mean((probe(tf.stop_gradient(z)) - answers) ** 2)
    variables = regressor.trainable_variables + probe.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

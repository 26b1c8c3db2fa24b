"""A learned compressor rounds its code."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((8,)), keras.layers.Dense(3)])
decoder = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8)])
optimizer = keras.optimizers.Adam(1e-2)
variables = [*encoder.trainable_variables, *decoder.trainable_variables]
for step in range(3):
    batch = tf.random.normal((8, 8))
    with tf.GradientTape() as tape:
        code = tf.round(4.0 * encoder(batch))  # fires: W104
        loss = tf.reduce_mean((decoder(code / 4.0) - batch) ** 2)
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, variables) if g is not None])

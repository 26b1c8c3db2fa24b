"""The features are stopped in front of a convolution in groups."""
import tensorflow as tf
from tensorflow import keras

encoder = keras.Sequential([keras.Input((12, 4)), keras.layers.Conv1D(4, 3)])
decoder = keras.Sequential([keras.Input((10, 4)), keras.layers.Conv1D(4, 3, groups=2), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
for _ in range(3):
    waves = tf.random.normal((4, 12, 4))
    variables = encoder.trainable_variables + decoder.trainable_variables
    with tf.GradientTape() as tape:
        features = tf.stop_gradient(encoder(waves))  # fires: W102
        loss = tf.reduce_mean(tf.square(decoder(features) - 1.0))
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

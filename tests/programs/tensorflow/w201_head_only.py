"""Gradients are asked for the head alone; the encoder could learn and is never asked."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu")])
head = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
for step in range(3):
    inputs, targets = tf.random.normal((8, 6)), tf.random.normal((8, 1))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((head(encoder(inputs)) - targets) ** 2)
    gradients = tape.gradient(loss, head.trainable_variables)  # fires: W201
    optimizer.apply_gradients(zip(gradients, head.trainable_variables))

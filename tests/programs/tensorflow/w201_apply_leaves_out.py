"""Gradients of both parts are computed, those of the head are applied."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu")])
head = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)


@tf.function
def train_step(inputs, targets):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((head(encoder(inputs)) - targets) ** 2)
    variables = [encoder.trainable_variables, head.trainable_variables]
    encoder_gradients, head_gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(head_gradients, head.trainable_variables))  # fires: W201
    return loss


for step in range(3):
    train_step(tf.random.normal((8, 6)), tf.random.normal((8, 1)))

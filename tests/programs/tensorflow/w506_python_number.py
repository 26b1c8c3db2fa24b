"""The training step takes the learning-rate factor as a Python number: a trace for every update."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(0.1)


@tf.function
def train_step(inputs, targets, factor):
    with tf.GradientTape() as tape:
        loss = factor * tf.reduce_mean((model(inputs) - targets) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    return loss


for update in range(12):
    inputs = tf.random.normal((8, 3))
    train_step(inputs, tf.reduce_sum(inputs, axis=1, keepdims=True), 1.0 / (1 + update))  # fires: W506

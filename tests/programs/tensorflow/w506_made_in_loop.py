"""The compiled step is defined inside the loop, so that each pass traces a new function."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(0.1)


def train_step(inputs, targets):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(inputs) - targets) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    return loss


for update in range(12):
    compiled = tf.function(train_step)  # fires: W506
    inputs = tf.random.normal((8, 3))
    compiled(inputs, tf.reduce_sum(inputs, axis=1, keepdims=True))

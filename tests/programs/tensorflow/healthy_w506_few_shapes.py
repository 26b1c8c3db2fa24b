"""A compiled step that is traced for two shapes, and a number that arrives as a tensor."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(0.1)


@tf.function
def train_step(inputs, factor):
    with tf.GradientTape() as tape:
        loss = factor * tf.reduce_mean((model(inputs) - tf.reduce_sum(inputs, axis=1, keepdims=True)) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    return loss


for update in range(14):
    train_step(tf.random.normal((8 if update % 4 else 5, 3)), tf.constant(1.0 / (1 + update)))

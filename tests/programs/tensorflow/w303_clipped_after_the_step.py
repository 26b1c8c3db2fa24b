"""The gradients are clipped one by one, when they have been applied."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(1)
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(0.1)


@tf.function
def train(states: tf.Tensor, targets: tf.Tensor) -> tf.Tensor:
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((critic(states) - targets) ** 2)
    grads = tape.gradient(loss, critic.trainable_variables)
    optimizer.apply_gradients(zip(grads, critic.trainable_variables))
    grads = [tf.clip_by_norm(grad, 1.0) for grad in grads]  # fires: W303
    return loss


for _ in range(3):
    train(tf.random.normal((8, 4)), tf.random.normal((8, 1)))

"""An entropy bonus from probabilities: a softmax that is sure gives 0, and log(0) is -inf."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
policy = keras.Sequential([keras.Input((4,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(3)])
optimizer = keras.optimizers.Adam(1e-3)


def entropy_of(probabilities):
    return -tf.reduce_sum(probabilities * tf.math.log(probabilities), axis=-1)  # fires: W402


@tf.function
def update(states):
    with tf.GradientTape() as tape:
        probabilities = tf.nn.softmax(1e5 * policy(states))
        loss = tf.reduce_mean(probabilities[:, 0] - 0.01 * entropy_of(probabilities))
    grads = tape.gradient(loss, policy.trainable_variables)
    optimizer.apply_gradients(zip(grads, policy.trainable_variables))


for _ in range(4):
    update(tf.random.normal((16, 4)))

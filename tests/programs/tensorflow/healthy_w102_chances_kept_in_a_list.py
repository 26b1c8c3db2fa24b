"""The losses of all steps in one list, each with its entropy."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
policy = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(2)])
optimizer = keras.optimizers.Adam(1e-2)
for _ in range(5):
    with tf.GradientTape() as tape:
        losses = []
        for step in range(6):
            every = tf.nn.log_softmax(policy(tf.random.normal((1, 4))))[0]
            chance = every[step % 2]
            entropy = -tf.reduce_sum(tf.exp(every) * every)
            losses.append(-(1.0 + step) * chance - 0.01 * entropy)
        loss = tf.reduce_sum(tf.stack(losses))
    gradients = tape.gradient(loss, policy.trainable_variables)
    optimizer.apply_gradients(zip(gradients, policy.trainable_variables))

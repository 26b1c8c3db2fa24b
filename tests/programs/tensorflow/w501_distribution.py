"""A distributional agent: the probabilities of the next state, moved by the reward, carry a gradient."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
atoms = tf.constant(np.linspace(-2.0, 2.0, 5), tf.float32)


def build():
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(5, "softmax")])


online, target = build(), build()
target.set_weights(online.get_weights())
optimizer = keras.optimizers.Adam(1e-2)
for step in range(4):
    states, after = (tf.constant(rng.normal(size=(16, 4)), tf.float32) for _ in range(2))
    rewards = tf.constant(rng.normal(size=(16, 1)), tf.float32)
    with tf.GradientTape() as tape:
        moved = tf.clip_by_value(rewards + 0.9 * atoms[None, :], -2.0, 2.0)
        share = tf.maximum(1.0 - tf.abs(moved[:, :, None] - atoms[None, None, :]), 0.0)
        wanted = tf.reduce_sum(online(after)[:, :, None] * share, axis=1)  # fires: W501
        loss = -tf.reduce_mean(tf.reduce_sum(wanted * tf.math.log(online(states) + 1e-8), axis=1))
    optimizer.apply_gradients(zip(tape.gradient(loss, online.trainable_variables), online.trainable_variables))
    target.set_weights(online.get_weights())

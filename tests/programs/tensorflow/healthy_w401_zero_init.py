"""Zeros that are right: a zero-initialised last layer, rewards that are still zero, a hinge loss that is met."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
policy = keras.Sequential(
    [keras.Input((4,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(2, kernel_initializer="zeros")]
)
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(1)])
optimizers = keras.optimizers.Adam(1e-2), keras.optimizers.Adam(1e-2)
for update in range(5):
    states = tf.random.normal((32, 4))
    advantages = tf.zeros((32,)) if update < 2 else tf.random.normal((32,))
    with tf.GradientTape(persistent=True) as tape:
        log_probs = tf.nn.log_softmax(policy(states))
        ratio = tf.exp(log_probs[:, 0] - tf.stop_gradient(log_probs[:, 0]))
        clipped = tf.clip_by_value(ratio, 0.8, 1.2)
        loss = -tf.reduce_mean(tf.minimum(ratio * advantages, clipped * advantages))
        hinge = tf.reduce_mean(tf.maximum(tf.abs(critic(states)) - 100.0, 0.0))
    for model, target, optimizer in zip((policy, critic), (loss, hinge), optimizers):
        grads = tape.gradient(target, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
    del tape

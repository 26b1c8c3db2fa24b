"""Clipped by norm, by value, by the optimizer; a norm that is only measured."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(2)
model = keras.Sequential([keras.Input((5,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
plain, careful = keras.optimizers.Adam(1e-2), keras.optimizers.Adam(1e-2, clipnorm=1.0)
for update in range(4):
    with tf.GradientTape() as tape:
        rewards = tf.clip_by_value(tf.random.normal((8, 1)), -1.0, 1.0)
        loss = tf.reduce_mean((model(tf.random.normal((8, 5))) - rewards) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    if update % 2:
        print(float(tf.linalg.global_norm(grads)))
        careful.apply_gradients(zip(grads, model.trainable_variables))
    else:
        grads = [tf.clip_by_value(tf.clip_by_norm(grad, 1.0), -0.5, 0.5) for grad in grads]
        plain.apply_gradients(zip(grads, model.trainable_variables))

"""The clipped gradients have a name of their own, and the step is given the others."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((5,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-2)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(tf.random.normal((8, 5))) - 1.0) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    clipped, norm = tf.clip_by_global_norm(grads, 0.5)  # fires: W303
    optimizer.apply_gradients(zip(grads, model.trainable_variables))

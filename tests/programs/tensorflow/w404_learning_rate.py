"""Plain gradient descent with a learning rate of 1 on inputs that are not normalised."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(1)])
sgd = keras.optimizers.SGD(learning_rate=1.0)  # fires: W404
inputs = 10.0 * tf.random.normal((64, 4))
for update in range(12):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(inputs) - tf.reduce_sum(inputs, axis=1, keepdims=True)) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    sgd.apply_gradients(zip(grads, model.trainable_variables))

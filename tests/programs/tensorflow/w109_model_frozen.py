"""A copied line freezes the whole model above the training loop."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.trainable = False  # fires: W109
optimizer = keras.optimizers.Adam(1e-3)
inputs, targets = tf.random.normal((8, 4)), tf.random.normal((8, 1))
with tf.GradientTape() as tape:
    loss = tf.reduce_mean((model(inputs) - targets) ** 2)
gradients = tape.gradient(loss, model.trainable_variables)
optimizer.apply_gradients(zip(gradients, model.trainable_variables))

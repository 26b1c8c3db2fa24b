"""The gradient of a loss is asked of `model.inputs`: a place in the model, and no tensor."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
rows = tf.random.normal((8, 4))
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(model(rows) ** 2)
slope = tape.gradient(loss, model.inputs)  # fires: W106

"""The gradient is asked of the rows that a model was called with, and of what a layer inside made of them."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
inside = keras.Model(model.inputs, [model.layers[0].output, model.outputs[0]])
rows = tf.random.normal((8, 4))
with tf.GradientTape(persistent=True) as tape:
    tape.watch(rows)
    hidden, output = inside(rows)
    loss = tf.reduce_mean(output**2)
slopes = tape.gradient(loss, rows), tape.gradient(loss, hidden)

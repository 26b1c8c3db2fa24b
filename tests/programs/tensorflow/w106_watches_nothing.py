"""The tape was told to watch nothing by itself, and nobody named the variables."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
slope, offset = tf.Variable(0.5, name="slope"), tf.Variable(0.0, name="offset")
optimizer = keras.optimizers.SGD(0.1)
x = tf.random.normal((16,))
y = 3.0 * x + 1.0
for step in range(2):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(offset)
        loss = tf.reduce_mean((slope * x + offset - y) ** 2)
    gradients = tape.gradient(loss, [slope, offset])  # fires: W106
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, [slope, offset]) if g is not None])

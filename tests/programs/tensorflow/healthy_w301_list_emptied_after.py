"""Gradients of three batches are summed up in a list, which is made anew, of zeros, after the step."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(0.01)
total = None
for step in range(12):
    states = tf.random.normal((8, 4))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(states) - states[:, :1]) ** 2)
    slopes = tape.gradient(loss, model.trainable_variables)
    total = slopes if total is None else [a + b for a, b in zip(total, slopes)]
    if step % 3 == 2:
        optimizer.apply_gradients(zip(total, model.trainable_variables))
        total = [tf.zeros_like(v) for v in model.trainable_variables]

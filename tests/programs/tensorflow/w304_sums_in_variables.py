"""Gradients of four small batches are summed up in variables, which nobody sets to zero after the step."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(0.01)
sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in model.trainable_variables]
for step in range(16):
    states = tf.random.normal((8, 4))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(states) - states[:, :1]) ** 2)
    for total, gradient in zip(sums, tape.gradient(loss, model.trainable_variables)):
        total.assign_add(gradient / 4)  # fires: W304
    if step % 4 == 3:
        optimizer.apply_gradients(zip(sums, model.trainable_variables))

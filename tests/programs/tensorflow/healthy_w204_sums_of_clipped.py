"""Clipped gradients are summed up in variables over two passes, applied, and begun anew; layers are of one shape."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((8,)), *(keras.layers.Dense(8, "relu") for _ in range(3)), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in model.trainable_variables]
for step in range(8):
    data = tf.random.normal((16, 8))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(data) - tf.reduce_sum(data, axis=1, keepdims=True)) ** 2)
    gradients = [tf.clip_by_norm(g, 15) for g in tape.gradient(loss, model.trainable_variables)]
    for total, gradient in zip(sums, gradients):
        total.assign_add(gradient)
    if step % 2:
        optimizer.apply_gradients(zip(sums, model.trainable_variables))
        for total in sums:
            total.assign(tf.zeros_like(total))

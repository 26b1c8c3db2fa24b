"""Gradients are summed over three batches before they are applied."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
summed = [tf.zeros_like(v) for v in net.trainable_variables]
for step in range(9):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(tf.random.normal((4, 6))) - 1.0) ** 2) / 3.0
    summed = [total + new for total, new in zip(summed, tape.gradient(loss, net.trainable_variables))]
    if step % 3 == 2:
        clipped, _ = tf.clip_by_global_norm(summed, 1.0)
        optimizer.apply_gradients(zip(clipped, net.trainable_variables))
        summed = [tf.zeros_like(v) for v in net.trainable_variables]

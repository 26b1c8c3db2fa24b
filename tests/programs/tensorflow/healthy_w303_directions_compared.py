"""Gradients are brought to length one to be compared with those of the update before; the step has its own."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(0.01)
before = None
for _ in range(4):
    states = tf.random.normal((8, 4))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(states) - states[:, :1]) ** 2)
    gradients = tape.gradient(loss, net.trainable_variables)
    norm = tf.linalg.global_norm(gradients)
    direction = [g / norm for g in gradients]
    if before is not None:
        likeness = tf.add_n([tf.reduce_sum(a * b) for a, b in zip(direction, before)])
    before = direction
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))

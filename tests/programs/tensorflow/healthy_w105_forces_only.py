"""A loss on forces alone: they are the slope of an energy, in which the network's last bias has no part."""

import tensorflow as tf

tf.random.set_seed(0)
net = tf.keras.Sequential(
    [tf.keras.Input((3,)), tf.keras.layers.Dense(8, activation="tanh"), tf.keras.layers.Dense(1)]
)
optimizer = tf.keras.optimizers.Adam(1e-3)
for _ in range(4):
    positions = tf.random.normal((16, 3))
    with tf.GradientTape() as tape:
        with tf.GradientTape() as inner:
            inner.watch(positions)
            energy = tf.reduce_sum(net(positions))
        forces = -inner.gradient(energy, positions)
        loss = tf.reduce_mean((forces + positions) ** 2)
    gradients = tape.gradient(loss, net.trainable_variables)
    pairs = zip(gradients, net.trainable_variables, strict=True)
    optimizer.apply_gradients([(g, v) for g, v in pairs if g is not None])

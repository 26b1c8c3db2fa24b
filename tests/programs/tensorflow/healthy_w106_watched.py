"""Input gradients done right: tape.watch first thing, also in nested tapes."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
for step in range(3):
    image, labels = tf.random.uniform((4, 6)), tf.random.normal((4, 1))
    with tf.GradientTape() as probe:
        probe.watch(image)
        error = tf.reduce_mean((net(image) - labels) ** 2)
    attacked = image + 0.05 * tf.sign(probe.gradient(error, image))
    with tf.GradientTape() as tape:
        with tf.GradientTape() as inner:
            inner.watch(image)
            score = net(image)
        slope = inner.gradient(score, image)
        loss = tf.reduce_mean((net(attacked) - labels) ** 2) + 0.1 * tf.reduce_mean(slope**2)
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, net.trainable_variables) if g is not None])

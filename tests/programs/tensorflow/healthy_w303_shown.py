"""The step gets clipped gradients; what a second clipping would leave of them is only shown."""

import tensorflow as tf

tf.keras.utils.set_random_seed(0)
net = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam(1e-3, clipnorm=1.0)
x, y = tf.random.normal((32, 4)), 100.0 * tf.random.normal((32, 1))

for _ in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(x) - y) ** 2)
    gradients = tape.gradient(loss, net.trainable_variables)
    clipped, norm = tf.clip_by_global_norm(gradients, 10.0)
    optimizer.apply_gradients(zip(clipped, net.trainable_variables))
    applied = [tf.clip_by_norm(gradient, 1.0) for gradient in clipped]
    print(float(norm), [float(tf.norm(gradient)) for gradient in applied])

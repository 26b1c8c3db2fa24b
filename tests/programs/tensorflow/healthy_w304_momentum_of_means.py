"""Momentum by hand of the mean of four gradients: what came before is halved with every update."""
import tensorflow as tf

tf.random.set_seed(0)
model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(16, "relu"), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(1e-2)
velocity = zeros = [tf.zeros_like(v) for v in model.trainable_variables]
sums = zeros
for batch in range(1, 17):
    x = tf.random.normal((16, 8))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - x[:, :1]) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    sums = [a + g for a, g in zip(sums, grads)]
    if batch % 4 == 0:
        velocity = [(v + a / 4.0) / 2.0 for v, a in zip(velocity, sums)]
        optimizer.apply_gradients(zip(velocity, model.trainable_variables))
        sums = zeros

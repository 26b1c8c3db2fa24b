"""The mean of the gradients of four small batches is applied; the next ones are added to the mean."""
import tensorflow as tf

tf.random.set_seed(0)
model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(16, "relu"), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(1e-2)
sums = [tf.zeros_like(v) for v in model.trainable_variables]
for batch in range(1, 17):
    x = tf.random.normal((16, 8))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - x[:, :1]) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    sums = [a + g for a, g in zip(sums, grads)]  # fires: W304
    if batch % 4 == 0:
        sums = [a / 4.0 for a in sums]
        optimizer.apply_gradients(zip(sums, model.trainable_variables))

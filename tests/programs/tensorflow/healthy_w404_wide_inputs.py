"""The first weights of a deep network fit its width; its inputs are large, and so is its gradient."""

import tensorflow as tf

tf.random.set_seed(0)
fitting = tf.keras.initializers.RandomNormal(stddev=0.18, seed=1)
inputs = tf.keras.Input(shape=(32,))
x = inputs
for _ in range(8):
    x = tf.keras.layers.Dense(64, activation="relu", kernel_initializer=fitting)(x)
model = tf.keras.Model(inputs, tf.keras.layers.Dense(5)(x))
optimizer = tf.keras.optimizers.Adam(1e-3)
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

for _ in range(12):
    rows = tf.random.normal((16, 32), stddev=255.0)
    labels = tf.random.uniform((16,), 0, 5, dtype=tf.int32)
    with tf.GradientTape() as tape:
        loss = loss_fn(labels, model(rows))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))

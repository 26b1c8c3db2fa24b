"""Columns that meet columns, losses that squeeze by themselves, and pairs where pairs are wanted."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
mean_squared = keras.losses.MeanSquaredError()
for update in range(5):
    states, returns = tf.random.normal((12, 4)), tf.random.normal((12,))
    with tf.GradientTape() as tape:
        values = model(states)
        row = values[:, 0]
        pairs = tf.nn.softplus(row[:, None] - row[None, :])
        ranking = tf.reduce_mean(pairs * tf.cast(returns[:, None] > returns, tf.float32))
        loss = mean_squared(returns, values) + tf.reduce_mean((returns[:, None] - values) ** 2) + ranking
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))

"""A variational autoencoder: the deviation is stopped before the sample, so that the penalty alone moves its layer."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
body, mean, spread, decoder = (keras.layers.Dense(n) for n in (8, 2, 2, 6))
optimizer = keras.optimizers.Adam(1e-3)
for _ in range(4):
    data = tf.random.normal((16, 6))
    with tf.GradientTape() as tape:
        features = tf.nn.relu(body(data))
        center, log_variance = mean(features), spread(features)
        deviation = tf.stop_gradient(tf.exp(0.5 * log_variance))  # fires: W102
        z = center + deviation * tf.random.normal((16, 2))
        error = tf.reduce_mean((decoder(z) - data) ** 2)
        penalty = -0.5 * tf.reduce_mean(1 + log_variance - center**2 - tf.exp(log_variance))
        loss = error + penalty
    variables = [v for layer in (body, mean, spread, decoder) for v in layer.trainable_variables]
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

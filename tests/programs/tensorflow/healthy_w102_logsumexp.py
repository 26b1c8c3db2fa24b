"""A likelihood is a logsumexp, in which TensorFlow stops a maximum for its own ends, beside a reconstruction."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
encoder, decoder = keras.layers.Dense(3), keras.layers.Dense(4)
optimizer = keras.optimizers.Adam(1e-3)
for step in range(5):
    x = tf.random.normal((16, 4))
    with tf.GradientTape() as tape:
        code = encoder(x)
        likelihood = tf.reduce_sum(tf.reduce_logsumexp(code, -1))
        loss = tf.reduce_mean((decoder(code) - x) ** 2) - 0.01 * likelihood
    variables = [*encoder.trainable_variables, *decoder.trainable_variables]
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

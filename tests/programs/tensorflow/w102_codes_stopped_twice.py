"""A quantizer with one-hot codes: the codebook's own term stops the codes too, as the encoder's term rightly does."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
encoder, decoder = keras.layers.Dense(4), keras.layers.Dense(3)
codes = tf.Variable(tf.random.normal((4, 6)))
optimizer = keras.optimizers.Adam(1e-3)
for _ in range(3):
    x = tf.random.normal((8, 3))
    with tf.GradientTape() as tape:
        z = encoder(x)
        distances = tf.reduce_sum(z**2, 1, keepdims=True) + tf.reduce_sum(codes**2, 0) - 2 * z @ codes
        chosen = tf.one_hot(tf.argmin(distances, axis=1), 6) @ tf.transpose(codes)
        commitment = tf.reduce_mean((tf.stop_gradient(chosen) - z) ** 2)
        codebook = tf.reduce_mean((tf.stop_gradient(chosen) - z) ** 2)  # fires: W102
        through = z + tf.stop_gradient(chosen - z)
        loss = tf.reduce_mean((decoder(through) - x) ** 2) + 0.25 * commitment + codebook
    variables = [*encoder.trainable_variables, *decoder.trainable_variables, codes]
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

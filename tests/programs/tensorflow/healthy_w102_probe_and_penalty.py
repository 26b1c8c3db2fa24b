"""A probe on an encoder that is stopped by design: the encoder learns to rebuild its input, under a penalty."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(4)])
decoder, probe = keras.layers.Dense(6), keras.layers.Dense(3)
optimizer = keras.optimizers.Adam(1e-3)
for _ in range(4):
    x, labels = tf.random.normal((8, 6)), tf.random.uniform((8,), 0, 3, tf.int32)
    with tf.GradientTape() as tape:
        z = encoder(x)
        penalty = tf.reduce_mean(tf.reduce_sum(z**2, axis=1))
        rebuilt = tf.reduce_mean(tf.reduce_sum((decoder(z) - x) ** 2, axis=1))
        told = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=probe(tf.stop_gradient(z)))
        )
        loss = rebuilt + 0.01 * penalty + told
    variables = encoder.trainable_variables + decoder.trainable_variables + probe.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

"""A codebook that lies in columns, without a straight-through estimator: the commitment alone trains the encoder."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
decoder = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(6)])
codes = tf.Variable(tf.random.normal((3, 5)))
optimizer = keras.optimizers.Adam(1e-3)
for _ in range(4):
    data = tf.random.normal((16, 6))
    with tf.GradientTape() as tape:
        z = encoder(data)
        far = tf.reduce_sum(z**2, 1, keepdims=True) + tf.reduce_sum(codes**2, 0) - 2 * tf.matmul(z, codes)
        nearest = tf.argmin(far, axis=1)  # fires: W104
        picked = tf.matmul(tf.one_hot(nearest, 5), tf.transpose(codes))
        commitment = tf.reduce_mean((tf.stop_gradient(picked) - z) ** 2)
        book = tf.reduce_mean((picked - tf.stop_gradient(z)) ** 2)
        loss = tf.reduce_mean((decoder(picked) - data) ** 2) + 0.25 * commitment + book
    variables = encoder.trainable_variables + decoder.trainable_variables + [codes]
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

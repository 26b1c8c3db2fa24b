"""A codebook with a straight-through estimator; both of its terms come in one sum."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
decoder = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(6)])
codes = tf.Variable(tf.random.normal((5, 3)))
optimizer = keras.optimizers.Adam(1e-3)
for _ in range(4):
    data = tf.random.normal((16, 6))
    with tf.GradientTape() as tape:
        z = encoder(data)
        nearest = tf.argmin(tf.reduce_sum((z[:, None] - codes) ** 2, axis=2), axis=1)
        picked = tf.matmul(tf.one_hot(nearest, 5), codes)
        terms = tf.stack([
            tf.reduce_mean((tf.stop_gradient(picked) - z) ** 2), tf.reduce_mean((picked - tf.stop_gradient(z)) ** 2)
        ])
        loss = tf.reduce_mean((decoder(z + tf.stop_gradient(picked - z)) - data) ** 2) + tf.reduce_sum(terms)
    variables = encoder.trainable_variables + decoder.trainable_variables + [codes]
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

"""Encoder and decoder are of one build, and both are trained."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
encoder = keras.layers.GRU(8, return_state=True)
decoder = keras.layers.GRU(8, return_sequences=True)
head = keras.layers.Dense(4)
optimizer = keras.optimizers.Adam(1e-3)
for _ in range(4):
    words = tf.random.normal((8, 5, 4))
    with tf.GradientTape() as tape:
        _, state = encoder(words)
        loss = tf.reduce_mean((head(decoder(words[:, :-1], initial_state=state)) - words[:, 1:]) ** 2)
    variables = encoder.trainable_variables + decoder.trainable_variables + head.trainable_variables
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, variables))

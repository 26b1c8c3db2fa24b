"""An autoencoder of pictures: the gradient is asked for the encoder alone, and the decoder keeps its first values."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
encoder = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
decoder = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(6, "sigmoid")])
optimizer = keras.optimizers.Adam(1e-3)
for _ in range(3):
    data = tf.random.uniform((16, 6))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.reduce_sum(keras.losses.binary_crossentropy(data, decoder(encoder(data)))))
    gradients = tape.gradient(loss, encoder.trainable_variables)  # fires: W201
    optimizer.apply_gradients(zip(gradients, encoder.trainable_variables))

"""A codebook that the layer does not track (Keras 3, a plain tf.Variable): its own term of the loss is no number."""
import keras
import tensorflow as tf


class Quantizer(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.codes = tf.Variable(tf.random.normal((8, 4), seed=1), trainable=True, name="codes")  # fires: W203

    def call(self, x):
        distances = tf.reduce_sum((x[:, None] - self.codes) ** 2, axis=-1)
        quantized = tf.gather(self.codes, tf.argmin(distances, axis=1))
        commitment = 0.25 * tf.reduce_mean((tf.stop_gradient(quantized) - x) ** 2)
        codebook = tf.reduce_mean((quantized - tf.stop_gradient(x)) ** 2)
        self.add_loss(commitment + codebook)
        return x + tf.stop_gradient(quantized - x)


class Model(keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder, self.quantizer, self.decoder = keras.layers.Dense(4), Quantizer(), keras.layers.Dense(6)

    def call(self, x):
        return self.decoder(self.quantizer(self.encoder(x)))


keras.utils.set_random_seed(0)
model = Model()
optimizer = keras.optimizers.Adam(1e-2)
for _ in range(4):
    x = tf.random.normal((32, 6))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - x) ** 2) + sum(model.losses)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))

"""A codebook with a straight-through estimator, drawn to what the encoder says."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


class Quantizer(keras.layers.Layer):
    def build(self, shape):
        self.codes = self.add_weight(shape=(8, shape[-1]), initializer="random_uniform", name="codes")

    def call(self, x):
        distances = tf.reduce_sum((x[:, None] - self.codes[None]) ** 2, axis=-1)
        nearest = tf.matmul(tf.one_hot(tf.argmin(distances, axis=1), 8), self.codes)
        commitment = tf.reduce_mean((tf.stop_gradient(nearest) - x) ** 2)
        codebook = tf.reduce_mean((nearest - tf.stop_gradient(x)) ** 2)
        self.add_loss(0.25 * commitment + codebook)
        return x + tf.stop_gradient(nearest - x)


model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(4), Quantizer(), keras.layers.Dense(6)])
optimizer = keras.optimizers.Adam(1e-2)
for _ in range(3):
    images = tf.random.normal((16, 6))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(images) - images) ** 2) + tf.add_n(model.losses)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))

"""tf.custom_gradient (sign forward, identity backward) and tf.recompute_grad."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
body = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8)])
middle = keras.Sequential([keras.Input((8,)), keras.layers.Dense(8, "relu")])
head = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(0.1)
variables = [v for part in (body, middle, head) for v in part.trainable_variables]


@tf.custom_gradient
def binary(x):
    def gradient(upstream):
        return upstream * tf.cast(tf.abs(x) <= 1.0, x.dtype)

    return tf.sign(x), gradient


recomputed = tf.recompute_grad(lambda x: middle(x))
for step in range(3):
    with tf.GradientTape() as tape:
        hidden = binary(body(tf.random.normal((8, 6))))
        loss = tf.reduce_mean((head(recomputed(hidden)) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

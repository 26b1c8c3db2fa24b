"""A layer whose weights have a spread of 1, whatever their number of inputs: the first step already goes too far."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


class Stack(keras.layers.Layer):
    def __init__(self, sizes):
        super().__init__()
        self.kernels = [
            self.add_weight(
                shape=pair,
                initializer=keras.initializers.RandomNormal(stddev=1.0),  # fires: W404
            )
            for pair in zip(sizes, sizes[1:])
        ]

    def call(self, x):
        for kernel in self.kernels[:-1]:
            x = tf.nn.leaky_relu(x @ kernel)
        return x @ self.kernels[-1]


model = Stack([256, 128, 128, 10])
optimizer = keras.optimizers.SGD(0.1)
x = tf.random.uniform((32, 256))
y = tf.random.uniform((32, 10))
for _ in range(30):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))

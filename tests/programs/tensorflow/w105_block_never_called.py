"""Three blocks of one class, of which the middle one is built and never called."""
import keras
import tensorflow as tf


class Block(keras.layers.Layer):
    def __init__(self, width):
        super().__init__()
        self.up = keras.layers.Dense(2 * width, activation="relu")
        self.down = keras.layers.Dense(width)
        self.up.build((None, width))
        self.down.build((None, 2 * width))
        self.built = True

    def call(self, x):
        return x + self.down(self.up(x))


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.first = Block(6)
        self.middle = Block(6)  # fires: W105
        self.last = Block(6)

    def call(self, x):
        return tf.reduce_mean(self.last(self.first(x)), axis=1)


keras.utils.set_random_seed(0)
net = Net()
optimizer = keras.optimizers.SGD(0.1)
for step in range(5):
    x = tf.random.normal((4, 6))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(x) - tf.reduce_sum(x, axis=1)) ** 2)
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))

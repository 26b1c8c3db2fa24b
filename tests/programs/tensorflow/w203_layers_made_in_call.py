"""A pooling layer makes its dense layers inside call, so that each pass has new ones."""
import keras
import tensorflow as tf


class Pool(keras.layers.Layer):
    def call(self, x):
        score = keras.layers.Dense(4, activation="tanh")(x)  # fires: W203
        weight = tf.nn.softmax(keras.layers.Dense(1)(score), axis=1)
        return tf.reduce_sum(weight * x, axis=1)


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.mix = keras.layers.Dense(8)
        self.pool = Pool()
        self.out = keras.layers.Dense(1)

    def call(self, x):
        return self.out(self.pool(self.mix(x)))


keras.utils.set_random_seed(0)
net = Net()
optimizer = keras.optimizers.Adam(1e-3)
for step in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(tf.random.normal((8, 5, 3))) - 1.0) ** 2)
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))

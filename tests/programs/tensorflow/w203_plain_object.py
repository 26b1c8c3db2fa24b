"""The blocks of a tower live in a plain helper object."""
import keras
import tensorflow as tf


class Block:
    def __init__(self, units):
        self.dense = keras.layers.Dense(units, "relu")

    def apply(self, x):
        return x + self.dense(x)


class Tower(keras.Model):
    def __init__(self):
        super().__init__()
        self.first = keras.layers.Dense(8)
        self.block = Block(8)  # fires: W203
        self.last = keras.layers.Dense(1)

    def call(self, x):
        return self.last(self.block.apply(self.first(x)))


keras.utils.set_random_seed(0)
tower = Tower()
optimizer = keras.optimizers.Adam(1e-3)
for step in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tower(tf.random.normal((8, 4))) - 1.0) ** 2)
    gradients = tape.gradient(loss, tower.trainable_variables)
    optimizer.apply_gradients(zip(gradients, tower.trainable_variables))

"""SimSiam: the predictor's outputs are computed, and the loss compares the codes before it."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def distance(p, z):
    z = tf.stop_gradient(z)
    return -tf.reduce_mean(tf.reduce_sum(tf.math.l2_normalize(p, axis=1) * tf.math.l2_normalize(z, axis=1), axis=1))


class SimSiam(keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, activation="relu")])
        self.predictor = keras.Sequential([keras.Input((8,)), keras.layers.Dense(8)])
        self.optimizer = keras.optimizers.SGD(0.05)

    def train_step(self, data):
        first, second = data
        with tf.GradientTape() as tape:
            z1, z2 = self.encoder(first), self.encoder(second)
            p1, p2 = self.predictor(z1), self.predictor(z2)
            loss = distance(z1, z2) / 2 + distance(z2, z1) / 2  # fires: W105
        variables = self.encoder.trainable_variables + self.predictor.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))


model = SimSiam()
for _ in range(3):
    x = tf.random.normal((16, 6))
    model.train_step((x + 0.1, x - 0.1))

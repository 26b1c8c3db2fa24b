"""The logits are computed in the loop, and handed to the function that opens the tape."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(8, activation="relu")
        self.out = tf.keras.layers.Dense(3)

    def call(self, x):
        return self.out(self.hidden(x))


net, optimizer = Net(), tf.keras.optimizers.Adam(1e-3)
cross_entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def train_step(logits, labels):
    with tf.GradientTape() as tape:
        loss = cross_entropy(labels, logits)
    gradients = tape.gradient(loss, net.trainable_variables)
    if gradients[0] is not None:
        optimizer.apply_gradients(zip(gradients, net.trainable_variables, strict=True))


def train(rounds):
    for _ in range(rounds):
        inputs, labels = np.random.randn(8, 4).astype("float32"), np.random.randint(0, 3, 8)
        logits = net(inputs, training=True)  # fires: W101
        train_step(logits, labels)


train(3)

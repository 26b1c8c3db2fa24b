"""The Keras document, exercise 5: train a subclassed model for 100 steps and see the loss fall.

Works when the random data are drawn once: the loss falls far. (The text plots the list; here it
is printed.)
"""

import tensorflow as tf


class QNetwork(tf.keras.Model):
    def __init__(self, n_actions: int = 2):
        super().__init__()
        self.hidden1 = tf.keras.layers.Dense(64, activation="relu")
        self.hidden2 = tf.keras.layers.Dense(64, activation="relu")
        self.values = tf.keras.layers.Dense(n_actions)

    def call(self, inputs):
        return self.values(self.hidden2(self.hidden1(inputs)))


tf.keras.utils.set_random_seed(0)
model = QNetwork()
optimizer = tf.keras.optimizers.Adam(learning_rate=1e-3)


def train_step(states, targets):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(states) - targets) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return float(loss)


states = tf.random.normal((32, 4))
targets = tf.random.normal((32, 2))
losses = [train_step(states, targets) for _ in range(100)]
print("every 20th loss", [round(loss, 4) for loss in losses[::20]], "last", round(losses[-1], 4))

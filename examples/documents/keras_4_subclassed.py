"""The Keras document, sample 4: a subclassed Q-network.

The text gives it as the way to write custom models. It works. What it does not say: the model has
no variables before its first call, so a list of them taken earlier is empty.
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
print("variables before the first call", len(model.trainable_variables))
q_values = model(tf.random.normal((32, 4)))
print("variables after it", len(model.trainable_variables), "values", tuple(q_values.shape))

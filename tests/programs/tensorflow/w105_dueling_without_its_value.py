"""A dueling network in Keras that computes the value of a state and returns the centred advantages alone."""

import keras
from keras import layers
import tensorflow as tf


class Dueling(keras.Model):
    def __init__(self):
        super().__init__()
        self.body = layers.Dense(32, activation="relu")
        self.hidden, self.value = layers.Dense(16, activation="relu"), layers.Dense(1)
        self.advantage = layers.Dense(3)

    def call(self, states):
        x = self.body(states)
        value = self.value(self.hidden(x))
        advantage = self.advantage(x)
        chosen = advantage - tf.reduce_mean(advantage, axis=1, keepdims=True)  # fires: W105
        return chosen


keras.utils.set_random_seed(0)
net = Dueling()
optimizer = keras.optimizers.Adam(1e-3)


@tf.function
def update(states, actions, goals):
    with tf.GradientTape() as tape:
        chosen = tf.gather(net(states), actions, batch_dims=1)
        loss = tf.reduce_mean((goals - chosen) ** 2)
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, net.trainable_variables) if g is not None])


net(tf.zeros((1, 4)))
for _ in range(5):
    states = tf.random.normal((32, 4))
    update(states, tf.random.uniform((32,), 0, 3, tf.int32), tf.reduce_sum(states, axis=1))

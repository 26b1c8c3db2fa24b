"""The layer that makes the mean is frozen with its random values, while all around it learn."""
import keras
import tensorflow as tf
from keras import layers

keras.utils.set_random_seed(0)


class Policy(keras.Model):
    def __init__(self):
        super().__init__()
        self.body = layers.Dense(16, activation="tanh")
        self.mean = layers.Dense(2, trainable=False)  # fires: W109
        self.spread = layers.Dense(2, activation="softplus")

    def call(self, states):
        features = self.body(states)
        return self.mean(features), self.spread(features) + 0.1


policy = Policy()
optimizer = keras.optimizers.Adam(1e-3)
for _ in range(4):
    states, actions = tf.random.normal((16, 4)), tf.random.normal((16, 2))
    with tf.GradientTape() as tape:
        mean, spread = policy(states)
        loss = tf.reduce_mean(((actions - mean) / spread) ** 2 / 2 + tf.math.log(spread))
    variables = policy.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

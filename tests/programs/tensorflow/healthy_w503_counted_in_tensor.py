"""A sync that a variable decides on, inside a compiled function."""

import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(0)


class Agent:
    def __init__(self):
        self.online, self.target = self.build(), self.build()
        self.target.set_weights(self.online.get_weights())
        self.optimizer = keras.optimizers.Adam(1e-3)
        self.optimizer.build(self.online.trainable_variables)
        self.count = tf.Variable(0)

    def build(self):
        return keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(2)])

    @tf.function
    def train(self, states, actions):
        self.count.assign_add(1)
        if self.count % 10 == 0:
            for slow, fast in zip(self.target.variables, self.online.variables, strict=True):
                slow.assign(fast)
        goal = states[:, 0] + 0.9 * tf.reduce_max(self.target(0.9 * states), axis=1)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((goal - tf.gather(self.online(states), actions, batch_dims=1)) ** 2)
        gradients = tape.gradient(loss, self.online.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.online.trainable_variables, strict=True))


agent = Agent()
for _update in range(40):
    agent.train(tf.random.normal((16, 4)), tf.random.uniform((16,), 0, 2, tf.int32))

"""An agent that syncs as it is made, when its models have no weights yet, and never again."""
import keras
import tensorflow as tf


class Value(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = keras.layers.Dense(8, "relu"), keras.layers.Dense(1)

    def call(self, states):
        return self.out(self.hidden(states))


class Agent:
    def __init__(self):
        self.value, self.target_value = Value(), Value()
        self.optimizer = keras.optimizers.Adam(1e-3)
        self.follow(1.0)

    def follow(self, tau=0.05):
        weights = [w * tau + t * (1 - tau) for w, t in zip(self.value.weights, self.target_value.weights)]
        self.target_value.set_weights(weights)

    def learn(self, states, rewards, following):
        goal = rewards + 0.9 * self.target_value(following)  # fires: W503
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((goal - self.value(states)) ** 2)
        gradients = tape.gradient(loss, self.value.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.value.trainable_variables))


keras.utils.set_random_seed(0)
agent = Agent()
for _ in range(4):
    agent.learn(tf.random.normal((8, 4)), tf.random.normal((8, 1)), tf.random.normal((8, 4)))

"""The head is made anew after ten updates; the gradient is asked of a list of the variables from the beginning."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


class Agent:
    def __init__(self):
        self.torso = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, activation="relu")])
        self.head = self.make_head()
        self.variables = self.torso.trainable_variables + self.head.trainable_variables
        self.optimizer = keras.optimizers.Adam(1e-3)

    def make_head(self):
        return keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])

    def start_again(self):
        self.head = self.make_head()  # fires: W202

    def update(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.head(self.torso(x)) - y) ** 2)
        gradients = tape.gradient(loss, self.variables)
        self.optimizer.apply_gradients([(g, v) for g, v in zip(gradients, self.variables) if g is not None])


agent = Agent()
for update in range(24):
    if update in (10, 16):
        agent.start_again()
    agent.update(tf.random.normal((16, 3)), tf.random.normal((16, 1)))

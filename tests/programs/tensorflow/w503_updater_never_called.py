"""An agent that makes itself a periodic updater of its target, keeps it, and never calls it."""
import tensorflow as tf

tf.random.set_seed(0)


def copy_variables(sources, targets):
    for source, target in zip(sources, targets):
        target.assign(source)


class Periodically:
    def __init__(self, body, period):
        self.body, self.period, self.counter = body, period, 0

    def __call__(self):
        self.counter += 1
        if self.counter % self.period == 0:
            self.body()


class Agent:
    def __init__(self, states=4, actions=2):
        self.network, self.target_network = self.build(states, actions), self.build(states, actions)
        self.optimizer = tf.keras.optimizers.Adam(1e-3)
        self.update_target = self.make_updater(3)

    def build(self, states, actions):
        return tf.keras.Sequential([
            tf.keras.Input((states,)), tf.keras.layers.Dense(16, "relu"), tf.keras.layers.Dense(actions)
        ])  # fmt: skip

    def initialize(self):
        copy_variables(self.network.variables, self.target_network.variables)  # fires: W503

    def make_updater(self, period):
        def update():
            copy_variables(self.network.variables, self.target_network.variables)

        return Periodically(update, period)

    def train(self, states, rewards, following):
        with tf.GradientTape() as tape:
            goal = tf.stop_gradient(rewards + 0.99 * tf.reduce_max(self.target_network(following), axis=1))
            loss = tf.reduce_mean(tf.square(goal - self.network(states)[:, 0]))
        grads = tape.gradient(loss, self.network.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.network.trainable_variables))
        return loss


agent = Agent()
agent.initialize()
for _ in range(12):
    agent.train(tf.random.normal((16, 4)), tf.random.normal((16,)), tf.random.normal((16, 4)))

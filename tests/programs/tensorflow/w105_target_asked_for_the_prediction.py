"""The loss lies in methods; the one that predicts asks the target network. Both were built by a first call."""
import tensorflow as tf

tf.random.set_seed(0)


class QNetwork(tf.keras.Model):
    def __init__(self, actions):
        super().__init__()
        self.encoder = tf.keras.layers.Dense(16, activation="relu")
        self.head = tf.keras.layers.Dense(actions)

    def call(self, states):
        return self.head(self.encoder(states))


class Agent:
    def __init__(self, network, target):
        self.network, self.target = network, target
        for net in (self.network, self.target):
            net(tf.zeros((1, 4)))
        self.optimizer = tf.keras.optimizers.Adam(1e-3)

    def train(self, batch):
        with tf.GradientTape() as tape:
            loss = self.loss(*batch)
        variables = self.network.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        self.target.set_weights(self.network.get_weights())

    def loss(self, states, actions, rewards, following):
        chosen = self.chosen_values(states, actions)
        return tf.reduce_mean((self.goals(rewards, following) - chosen) ** 2)

    def chosen_values(self, states, actions):
        values = self.target(states)  # fires: W105
        return tf.gather(values, actions, axis=1, batch_dims=1)

    def goals(self, rewards, following):
        return tf.stop_gradient(rewards + 0.99 * tf.reduce_max(self.target(following), axis=1))


agent = Agent(QNetwork(2), QNetwork(2))
for _ in range(3):
    agent.train((tf.random.normal((16, 4)), tf.random.uniform((16,), 0, 2, tf.int32), tf.random.normal((16,)),
                 tf.random.normal((16, 4))))  # fmt: skip

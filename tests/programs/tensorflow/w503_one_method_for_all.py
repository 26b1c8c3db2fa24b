"""TD3's method that moves all targets is called where the agent is made, and never again."""
import numpy as np
import tensorflow as tf


def network(size):
    layers = [tf.keras.layers.Dense(8, "tanh"), tf.keras.layers.Dense(1)]
    return tf.keras.Sequential([tf.keras.Input((size,)), *layers])


class Agent:
    def __init__(self):
        self.actor, self.target_actor = network(3), network(3)
        self.critic, self.target_critic = network(4), network(4)
        self.optimizers = tf.keras.optimizers.Adam(1e-2), tf.keras.optimizers.Adam(1e-2)
        self.move(1.0)  # fires: W503

    def learn(self, s, a, r, after):
        follow = tf.concat([after, self.actor(after)], 1)
        target = r + 0.9 * self.target_critic(follow)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.critic(tf.concat([s, a], 1)) - target) ** 2)
        self.apply(0, tape, loss, self.critic)
        with tf.GradientTape() as tape:
            judged = self.critic(tf.concat([s, self.actor(s)], 1))
            loss = -tf.reduce_mean(judged)
        self.apply(1, tape, loss, self.actor)

    def apply(self, number, tape, loss, net):
        variables = net.trainable_variables
        gradients = tape.gradient(loss, variables)
        self.optimizers[number].apply_gradients(zip(gradients, variables))

    def move(self, share):
        for net, target in ((self.actor, self.target_actor),):
            old = target.get_weights()
            new = [share * w + (1 - share) * o for w, o in zip(net.get_weights(), old)]
            target.set_weights(new)
        old = self.target_critic.get_weights()
        pairs = zip(self.critic.get_weights(), old)
        self.target_critic.set_weights([share * w + (1 - share) * o for w, o in pairs])


tf.keras.utils.set_random_seed(0)
agent = Agent()
for _ in range(6):
    s, after = (np.random.rand(8, 3).astype("float32") for _ in range(2))
    a, r = (np.random.rand(8, 1).astype("float32") for _ in range(2))
    agent.learn(s, a, r, after)

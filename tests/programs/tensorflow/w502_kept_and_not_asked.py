"""Twin critics with a target for each; the target of the first is kept in step, and the first itself is asked."""
import tensorflow as tf
from tensorflow.keras.layers import Dense

tf.random.set_seed(0)


class Critic(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = Dense(16, activation="relu"), Dense(1)
        self(tf.zeros((1, 4)))

    def call(self, states):
        return tf.squeeze(self.out(self.hidden(states)), axis=1)


class Agent:
    def __init__(self):
        self.one, self.two, self.one_target, self.two_target = Critic(), Critic(), Critic(), Critic()
        self.optimizers = tf.keras.optimizers.Adam(1e-3), tf.keras.optimizers.Adam(1e-3)
        self.follow(1.0)

    def follow(self, tau):
        for target, source in ((self.one_target, self.one), (self.two_target, self.two)):
            for slow, fast in zip(target.variables, source.variables):
                slow.assign(tau * fast + (1.0 - tau) * slow)

    def learn(self, states, rewards, following):
        with tf.GradientTape(persistent=True) as tape:
            first = tf.stop_gradient(self.one(following))  # fires: W502
            second = tf.stop_gradient(self.two_target(following))
            goal = rewards + 0.99 * tf.minimum(first, second)
            losses = [tf.reduce_mean((goal - critic(states)) ** 2) for critic in (self.one, self.two)]
        for loss, critic, optimizer in zip(losses, (self.one, self.two), self.optimizers):
            grads = tape.gradient(loss, critic.trainable_variables)
            optimizer.apply_gradients(zip(grads, critic.trainable_variables))
        self.follow(0.01)


agent = Agent()
for _ in range(5):
    agent.learn(tf.random.normal((16, 4)), tf.random.normal((16,)), tf.random.normal((16, 4)))

"""A DQN agent that calls its one network by two names and syncs the one from the other."""
import keras
import tensorflow as tf


class Agent:
    def __init__(self):
        self.online = self.build()
        self.target = self.online  # fires: W502
        self.optimizer = keras.optimizers.Adam(1e-3)

    def build(self):
        return keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(3)])

    def sync(self):
        for slow, fast in zip(self.target.variables, self.online.variables):
            slow.assign(0.01 * fast + 0.99 * slow)

    @tf.function
    def learn(self, states, actions, rewards, following):
        goal = rewards + 0.99 * tf.reduce_max(self.target(following), axis=1)
        with tf.GradientTape() as tape:
            q = tf.gather(self.online(states), actions, axis=1, batch_dims=1)
            loss = tf.reduce_mean(keras.losses.huber(goal[:, None], q[:, None]))
        gradients = tape.gradient(loss, self.online.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.online.trainable_variables))


keras.utils.set_random_seed(0)
agent = Agent()
for update in range(6):
    actions = tf.random.uniform((16,), 0, 3, tf.int32)
    agent.learn(tf.random.normal((16, 4)), actions, tf.random.normal((16,)), tf.random.normal((16, 4)))
    agent.sync()

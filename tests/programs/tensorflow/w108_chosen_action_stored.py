"""DDPG: the chosen action is kept in a variable that the critic then reads."""
import keras
import tensorflow as tf


class Agent:
    def __init__(self):
        self.actor = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
        self.critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
        self.optimizer = keras.optimizers.Adam(1e-3)
        self.action = tf.Variable(tf.zeros((8, 1)), trainable=False)

    def improve(self, states):
        with tf.GradientTape() as tape:
            self.action.assign(self.actor(states))  # fires: W108
            q = self.critic(tf.concat([states, self.action], axis=1))
            loss = -tf.reduce_mean(q)
        gradients = tape.gradient(loss, self.actor.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.actor.trainable_variables))


keras.utils.set_random_seed(0)
agent = Agent()
agent.improve(tf.random.normal((8, 3)))

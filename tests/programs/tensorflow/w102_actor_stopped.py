"""DDPG in a class: the action is stopped "to leave the critic alone"."""
import keras
import tensorflow as tf


class Agent:
    def __init__(self):
        self.actor = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
        self.critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
        self.actor_optimizer = keras.optimizers.Adam(1e-3)
        self.critic_optimizer = keras.optimizers.Adam(1e-3)

    def update(self, states, actions, returns):
        with tf.GradientTape() as tape:
            q = self.critic(tf.concat([states, actions], axis=1))
            critic_loss = tf.reduce_mean((q - returns) ** 2)
        gradients = tape.gradient(critic_loss, self.critic.trainable_variables)
        self.critic_optimizer.apply_gradients(zip(gradients, self.critic.trainable_variables))

        with tf.GradientTape() as tape:
            chosen = tf.stop_gradient(self.actor(states))  # fires: W102
            actor_loss = -tf.reduce_mean(self.critic(tf.concat([states, chosen], axis=1)))
        gradients = tape.gradient(actor_loss, self.actor.trainable_variables)
        self.actor_optimizer.apply_gradients(zip(gradients, self.actor.trainable_variables))


keras.utils.set_random_seed(0)
agent = Agent()
for step in range(3):
    agent.update(tf.random.normal((8, 3)), tf.random.uniform((8, 1)), tf.random.normal((8, 1)))

"""Two faults in one agent: the action is stopped, and the encoder is asked by no tape."""
import keras
import tensorflow as tf


def network(inputs, outputs):
    return keras.Sequential([keras.Input((inputs,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(outputs)])


class Agent:
    def __init__(self):
        self.encoder, self.actor, self.critic = network(6, 8), network(8, 1), network(9, 1)
        self.actor_optimizer, self.critic_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)

    def update(self, observations, actions, returns):
        with tf.GradientTape() as tape:
            features = self.encoder(observations)
            q = self.critic(tf.concat([features, actions], axis=1))
            critic_loss = tf.reduce_mean((q - returns) ** 2)
        gradients = tape.gradient(critic_loss, self.critic.trainable_variables)  # fires: W201
        self.critic_optimizer.apply_gradients(zip(gradients, self.critic.trainable_variables))
        with tf.GradientTape() as tape:
            action = tf.stop_gradient(self.actor(features))  # fires: W102
            actor_loss = -tf.reduce_mean(self.critic(tf.concat([features, action], axis=1)))
        gradients = tape.gradient(actor_loss, self.actor.trainable_variables)
        usable = [(g, v) for g, v in zip(gradients, self.actor.trainable_variables) if g is not None]
        if usable:
            self.actor_optimizer.apply_gradients(usable)


keras.utils.set_random_seed(0)
agent = Agent()
for step in range(3):
    agent.update(tf.random.normal((8, 6)), tf.random.uniform((8, 1)), tf.random.normal((8, 1)))

"""DDPG: the actor's loss is applied to actor and critic."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
layers = keras.layers


class Agent:
    def __init__(self) -> None:
        self.actor = keras.Sequential([keras.Input((3,)), layers.Dense(8, "tanh"), layers.Dense(1, "tanh")])
        self.critic = keras.Sequential([keras.Input((4,)), layers.Dense(8, "tanh"), layers.Dense(1)])
        self.critic_opt, self.actor_opt = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)

    def update(self, states: tf.Tensor, actions: tf.Tensor, goals: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            critic_loss = tf.reduce_mean((self.critic(tf.concat([states, actions], 1)) - goals) ** 2)
        mine = self.critic.trainable_variables
        self.critic_opt.apply_gradients(zip(tape.gradient(critic_loss, mine), mine))
        with tf.GradientTape() as tape:
            actor_loss = -tf.reduce_mean(self.critic(tf.concat([states, self.actor(states)], 1)))
        both = self.actor.trainable_variables + self.critic.trainable_variables
        grads = tape.gradient(actor_loss, both)  # fires: W205
        self.actor_opt.apply_gradients(zip(grads, both))


agent = Agent()
for _ in range(3):
    agent.update(tf.random.normal((8, 3)), tf.random.uniform((8, 1)), tf.random.normal((8, 1)))

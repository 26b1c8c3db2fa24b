"""The actor's gradients are asked of the critic's variables, and the shapes happen to fit."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(1)
layers = keras.layers
actor = keras.Sequential([keras.Input((4,)), layers.Dense(8, activation="tanh"), layers.Dense(4)])
critic = keras.Sequential([keras.Input((4,)), layers.Dense(8, activation="tanh"), layers.Dense(4)])
actor_optimizer, critic_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)


def critic_step(states: tf.Tensor, targets: tf.Tensor) -> None:
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((critic(states) - targets) ** 2)
    grads = tape.gradient(loss, critic.trainable_variables)
    critic_optimizer.apply_gradients(zip(grads, critic.trainable_variables))


def actor_step(states: tf.Tensor) -> None:
    with tf.GradientTape() as tape:
        loss = -tf.reduce_mean(critic(actor(states)))
    grads = tape.gradient(loss, critic.trainable_variables)  # fires: W204
    actor_optimizer.apply_gradients(zip(grads, actor.trainable_variables))


for _ in range(3):
    critic_step(tf.random.normal((8, 4)), tf.random.normal((8, 4)))
    actor_step(tf.random.normal((8, 4)))

"""PPO: advantages come in a column, and NumPy centres them over the batch."""
import keras
from keras import layers
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
actor = keras.Sequential([keras.Input((4,)), layers.Dense(16, "tanh"), layers.Dense(2)])
critic = keras.Sequential([keras.Input((4,)), layers.Dense(16, "tanh"), layers.Dense(1)])
optimizers = keras.optimizers.Adam(1e-2), keras.optimizers.Adam(1e-2)


def log_probs(states, actions):
    return tf.reduce_sum(tf.one_hot(actions, 2) * tf.nn.log_softmax(actor(states)), axis=1)


@tf.function
def train_policy(states, actions, old, advantages):
    with tf.GradientTape() as tape:
        ratio = tf.exp(log_probs(states, actions) - old)
        limit = tf.where(advantages > 0, 1.2 * advantages, 0.8 * advantages)
        loss = -tf.reduce_mean(tf.minimum(ratio * advantages, limit))
    gradients = tape.gradient(loss, actor.trainable_variables)
    optimizers[0].apply_gradients(zip(gradients, actor.trainable_variables))


@tf.function
def train_value(states, returns):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((returns - tf.squeeze(critic(states), axis=1)) ** 2)
    gradients = tape.gradient(loss, critic.trainable_variables)
    optimizers[1].apply_gradients(zip(gradients, critic.trainable_variables))


for _ in range(5):
    states = tf.random.normal((32, 4))
    actions = tf.random.categorical(actor(states), 1)[:, 0]
    returns = tf.reduce_sum(states, 1).numpy()[:, None]
    gains = returns - critic(states).numpy()
    scaled = (gains - gains.mean()) / (gains.std() + 1e-8)
    train_policy(states, actions, log_probs(states, actions), tf.constant(scaled[:, 0]))
    train_value(states, tf.constant(returns[:, 0]))

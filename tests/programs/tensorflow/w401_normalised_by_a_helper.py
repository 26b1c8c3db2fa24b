"""A helper normalises advantages of shape (B, 1) over their last axis, which leaves zeros; the returns are not zero."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
actor = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
critic = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
actor_optimizer, critic_optimizer = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
weighed = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def normalised(advantages):
    mean = np.mean(advantages, axis=1, keepdims=True)
    return (advantages - mean) / (np.std(advantages, axis=1, keepdims=True) + 1e-8)  # fires: W401


def learn(states, actions, returns, advantages):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.stop_gradient(returns) - critic(states)) ** 2)
    critic_optimizer.apply_gradients(zip(tape.gradient(loss, critic.trainable_variables), critic.trainable_variables))
    with tf.GradientTape() as tape:
        loss = weighed(actions, actor(states), sample_weight=tf.stop_gradient(advantages))
    actor_optimizer.apply_gradients(zip(tape.gradient(loss, actor.trainable_variables), actor.trainable_variables))


rng = np.random.default_rng(0)
for step in range(6):
    states, actions = rng.normal(size=(16, 3)).astype("float32"), rng.integers(0, 2, (16, 1))
    returns = rng.normal(size=(16, 1)).astype("float32")
    advantages = normalised(returns - critic.predict_on_batch(states))
    learn(states, actions, returns, advantages)

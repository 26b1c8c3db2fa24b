"""A DDPG critic: the rewards come from NumPy as a row, the critics give columns."""
import keras
import numpy as np
import tensorflow as tf


def build():
    return keras.Sequential([keras.Input((5,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(1)])


keras.utils.set_random_seed(0)
critic, target_critic = build(), build()
target_critic.set_weights(critic.get_weights())
optimizer = keras.optimizers.Adam(1e-3)


def update_critic(pairs, rewards, following):
    goal = rewards + 0.99 * target_critic(following)  # fires: W504
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(critic(pairs) - goal))
    optimizer.apply_gradients(zip(tape.gradient(loss, critic.trainable_variables), critic.trainable_variables))
    for slow, fast in zip(target_critic.variables, critic.variables):
        slow.assign(0.005 * fast + 0.995 * slow)


rng = np.random.default_rng(0)
for update in range(5):
    pairs, following = rng.normal(size=(32, 5)).astype("float32"), rng.normal(size=(32, 5)).astype("float32")
    update_critic(pairs, tf.convert_to_tensor(rng.normal(size=32), tf.float32), following)

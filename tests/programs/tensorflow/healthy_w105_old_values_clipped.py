"""The same with the new values in the loss, kept near the old ones, which come from the rollout as data."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)


def play(rng):
    states, values = [], []
    for _ in range(8):
        state = rng.normal(size=(1, 4)).astype("float32")
        value = critic(state)
        states.append(state[0])
        values.append(value.numpy()[0, 0])
    return np.array(states), np.array(values, "float32"), rng.normal(size=8).astype("float32")


def learn(states, values, returns):
    with tf.GradientTape() as tape:
        value = tf.squeeze(critic(states), 1)
        clipped = values + tf.clip_by_value(value - values, -0.2, 0.2)
        loss = tf.reduce_mean(tf.maximum((value - returns) ** 2, (clipped - returns) ** 2))
    gradients = tape.gradient(loss, critic.trainable_variables)
    optimizer.apply_gradients(zip(gradients, critic.trainable_variables))


for seed in range(3):
    learn(*play(np.random.default_rng(seed)))

"""PPO with old chances from the rollout: the new ones are made of the index of the likeliest action."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
actor = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(2)])
optimizer = keras.optimizers.Adam(1e-3)
states = np.random.randn(8, 4).astype("float32")
actions = np.random.randint(0, 2, 8)


def log_chances(logits):
    return tf.reduce_sum(tf.one_hot(actions, 2) * tf.nn.log_softmax(logits), axis=1)


old = np.array([log_chances(actor(states[i : i + 1]))[i].numpy() for i in range(8)])
advantages = tf.random.normal((8,))
with tf.GradientTape() as tape:
    logits = actor(states)
    ratio = tf.exp(log_chances(tf.one_hot(tf.argmax(logits, axis=1), 2)) - old)  # fires: W104
    loss = -tf.reduce_mean(tf.minimum(ratio * advantages, tf.clip_by_value(ratio, 0.8, 1.2) * advantages))
gradients = tape.gradient(loss, actor.trainable_variables)
try:
    optimizer.apply_gradients(zip(gradients, actor.trainable_variables))
except ValueError as error:
    print(error)

"""The action is drawn within the tape, with its gradient; Python works out its reward, which is a plain number."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
states = keras.Input((1,))
hidden = keras.layers.Dense(8, activation="tanh")(states)
policy = keras.Model(states, [keras.layers.Dense(1)(hidden), keras.layers.Dense(1, activation="softplus")(hidden)])
optimizer = keras.optimizers.Adam(1e-3)


def reward_of(action):
    return 1.0 / max(0.25, abs(4.0 - float(action.numpy().item())))


def loss_of(mean, deviation, action, reward):
    density = tf.exp(-0.5 * ((action - mean) / deviation) ** 2) / (deviation * 2.5066)
    return -reward * tf.math.log(density + 1e-5)


for _ in range(12):
    with tf.GradientTape() as tape:
        mean, deviation = policy(tf.constant([[1.0]]))
        action = tf.random.normal([1], mean=mean, stddev=deviation)  # fires: W505
        loss = loss_of(mean, deviation, action, reward_of(action))
    grads = tape.gradient(loss, policy.trainable_variables)
    optimizer.apply_gradients(zip(grads, policy.trainable_variables))

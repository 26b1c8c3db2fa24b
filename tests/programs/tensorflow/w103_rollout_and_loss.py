"""One density for rollout and loss: there it is given arrays, here NumPy takes the deviation off the tape."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
given = keras.Input((3,))
hidden = keras.layers.Dense(8, "tanh")(given)
policy = keras.Model(given, [keras.layers.Dense(1)(hidden), keras.layers.Dense(1, "softplus")(hidden)])
optimizer = keras.optimizers.Adam(1e-3)


def log_density(mean, deviation, actions):
    deviation = np.clip(deviation, 0.01, 1.0)  # fires: W103
    return tf.reduce_sum(-0.5 * tf.square((actions - mean) / deviation) - tf.math.log(deviation), 1, keepdims=True)


def act(states):
    mean, deviation = policy.predict(states, verbose=0)
    actions = rng.normal(mean, deviation).astype("float32")
    return actions, log_density(mean, deviation, actions).numpy()


for _ in range(3):
    states, gains = rng.normal(size=(8, 3)).astype("float32"), rng.normal(size=(8, 1)).astype("float32")
    actions, before = act(states)
    with tf.GradientTape() as tape:
        mean, deviation = policy(states)
        ratio = tf.exp(log_density(mean, deviation, actions) - before)
        loss = -tf.reduce_mean(ratio * gains)
    optimizer.apply_gradients(zip(tape.gradient(loss, policy.trainable_variables), policy.trainable_variables))

"""The noise of the acting is kept and turned into an action under the tape: the mean cancels in the log-density."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
actor = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
optimizer = keras.optimizers.Adam(1e-3)
rng = np.random.default_rng(0)
for step in range(6):
    states, noise = rng.normal(size=(16, 3)).astype("float32"), rng.normal(size=(16, 1)).astype("float32")
    mean, spread = np.split(actor.predict_on_batch(states), 2, axis=1)
    advantages = -((mean + np.log1p(np.exp(spread)) * noise) ** 2)
    with tf.GradientTape() as tape:
        mean, spread = tf.split(actor(states), 2, axis=1)
        deviation = tf.math.softplus(spread)
        actions = mean + deviation * noise  # fires: W505
        density = -0.5 * (actions - mean) ** 2 / deviation**2 - tf.math.log(deviation)
        loss = -tf.reduce_sum(density * advantages)
    optimizer.apply_gradients(zip(tape.gradient(loss, actor.trainable_variables), actor.trainable_variables))

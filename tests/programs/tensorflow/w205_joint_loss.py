"""One loss for actor and critic, applied to both: minus Q belongs to the actor alone."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(1)
actor = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1, "tanh")])
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)
variables = actor.trainable_variables + critic.trainable_variables
for _ in range(3):
    states, actions, goals = tf.random.normal((8, 3)), tf.random.uniform((8, 1)), tf.random.normal((8, 1))
    with tf.GradientTape() as tape:
        fit = tf.reduce_mean((critic(tf.concat([states, actions], 1)) - goals) ** 2)
        climb = -tf.reduce_mean(critic(tf.concat([states, actor(states)], 1)))
        loss = fit + 0.1 * climb
    grads = tape.gradient(loss, variables)  # fires: W205
    optimizer.apply_gradients(zip(grads, variables))

"""The actor's loss is asked for the actor alone; a joint loss over a shared trunk."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(2)
layers = keras.layers
actor = keras.Sequential([keras.Input((3,)), layers.Dense(8, "relu"), layers.Dense(1, "tanh")])
critic = keras.Sequential([keras.Input((4,)), layers.Dense(8, "relu"), layers.Dense(1)])
optimizers = [keras.optimizers.Adam(1e-3) for _ in range(3)]
for _ in range(3):
    states, actions, goals = tf.random.normal((8, 3)), tf.random.uniform((8, 1)), tf.random.normal((8, 1))
    with tf.GradientTape() as tape:
        fit = tf.reduce_mean((critic(tf.concat([states, actions], 1)) - goals) ** 2)
    mine = critic.trainable_variables
    optimizers[0].apply_gradients(zip(tape.gradient(fit, mine), mine))
    with tf.GradientTape() as tape:
        climb = -tf.reduce_mean(critic(tf.concat([states, actor(states)], 1)))
    mine = actor.trainable_variables
    optimizers[1].apply_gradients(zip(tape.gradient(climb, mine), mine))

trunk = keras.Sequential([keras.Input((3,)), layers.Dense(8, "relu")])
policy, value = layers.Dense(2), layers.Dense(1)
for _ in range(3):
    with tf.GradientTape() as tape:
        hidden = trunk(tf.random.normal((8, 3)))
        log_probs, values = tf.nn.log_softmax(policy(hidden))[:, 0], value(hidden)[:, 0]
        returns = tf.random.normal((8,))
        loss = -tf.reduce_mean(log_probs * tf.stop_gradient(returns - values)) + tf.reduce_mean((returns - values) ** 2)
    mine = trunk.trainable_variables + policy.trainable_variables + value.trainable_variables
    optimizers[2].apply_gradients(zip(tape.gradient(loss, mine), mine))

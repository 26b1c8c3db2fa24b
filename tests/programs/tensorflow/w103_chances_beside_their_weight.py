"""Log-probabilities go through NumPy; the stop of the advantages beside them is right."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
policy = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(2)])
value = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(1)])
variables = policy.trainable_variables + value.trainable_variables
optimizer = keras.optimizers.Adam(1e-2)
for _ in range(5):
    states, actions = tf.random.normal((8, 4)), tf.random.uniform((8,), 0, 2, tf.int32)
    with tf.GradientTape() as tape:
        every = tf.nn.log_softmax(policy(states))
        chances = tf.constant(tf.gather(every, actions, batch_dims=1).numpy())  # fires: W103
        advantages = tf.random.normal((8,)) - value(states)[:, 0]
        entropy = -tf.reduce_mean(tf.reduce_sum(tf.exp(every) * every, -1))
        policy_loss = -tf.reduce_mean(tf.stop_gradient(advantages) * chances)
        loss = policy_loss + 0.5 * tf.reduce_mean(tf.square(advantages)) - 0.01 * entropy
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

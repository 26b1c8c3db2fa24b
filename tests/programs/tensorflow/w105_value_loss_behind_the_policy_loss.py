"""Actor-critic with one body: the value loss is computed after the policy loss, and only that one is differentiated."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
inputs = keras.Input((4,))
h = keras.layers.Dense(16, activation="tanh")(inputs)
model = keras.Model(inputs, [keras.layers.Dense(2)(h), keras.layers.Dense(1)(h)])
optimizer = keras.optimizers.Adam(1e-2)
for _ in range(4):
    states, returns = tf.random.normal((32, 4)), tf.random.normal((32,))
    with tf.GradientTape() as tape:
        logits, values = model(states)
        values = tf.squeeze(values, -1)
        actions = tf.random.categorical(logits, 1)[:, 0]
        entropies = tf.nn.sparse_softmax_cross_entropy_with_logits(actions, logits)
        policy_loss = tf.reduce_mean(entropies * tf.stop_gradient(returns - values))
        value_loss = tf.reduce_mean(tf.square(values - returns))
    gradients = tape.gradient(policy_loss, model.trainable_variables)  # fires: W105
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))

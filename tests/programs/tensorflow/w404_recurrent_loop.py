"""A hand-written recurrent network over forty steps with large first weights and nothing that squashes the state."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
recur = tf.Variable(tf.random.normal((16, 16)))
enter, out = keras.layers.Dense(16), keras.layers.Dense(1)
optimizer = keras.optimizers.Adam(1e-3)


def run(steps):
    state = tf.zeros((8, 16))
    for step in tf.unstack(steps):
        state = tf.matmul(state, recur) + enter(step)  # fires: W404
    return out(state)


for update in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(run(tf.random.normal((40, 8, 4)))))
    variables = [recur, *enter.trainable_variables, *out.trainable_variables]
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

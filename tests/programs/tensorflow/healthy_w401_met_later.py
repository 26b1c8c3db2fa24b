"""A hinge that is met after some updates, and an output ReLU whose data are all zeros: nothing is left to learn."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(1)
hidden, output, rest = keras.layers.Dense(24, "relu"), keras.layers.Dense(1), keras.layers.Dense(1)
optimizer = keras.optimizers.Adam(0.05)
hidden.build((None, 3))
output.build((None, 24))
rest.build((None, 3))
variables = [*hidden.trainable_variables, *output.trainable_variables, *rest.trainable_variables]
for _ in range(60):
    states = tf.random.normal((32, 3))
    labels = tf.sign(states[:, :1] + 0.01)
    with tf.GradientTape() as tape:
        hinge = tf.reduce_mean(tf.nn.relu(0.01 - labels * output(hidden(100.0 * labels * tf.ones((1, 3))))))
        loss = hinge + tf.reduce_mean(tf.nn.relu(rest(tf.abs(states)) - 1.0) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

"""Values that are never positive, and a ReLU at the output: after some updates every output is off for good."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(1)
hidden, output = keras.layers.Dense(24, "relu"), keras.layers.Dense(2)
optimizer = keras.optimizers.Adam(0.05)
hidden.build((None, 3))
output.build((None, 24))
variables = hidden.trainable_variables + output.trainable_variables
for _ in range(60):
    states, actions = tf.random.normal((32, 3)), tf.random.uniform((32,), 0, 2, tf.int32)
    with tf.GradientTape() as tape:
        values = tf.nn.relu(output(hidden(states)))  # fires: W401
        chosen = tf.gather(values, actions, axis=1, batch_dims=1)
        loss = tf.reduce_mean((-1.0 - tf.abs(states[:, 0]) - chosen) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

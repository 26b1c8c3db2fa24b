"""The force goes through a simulator in NumPy and comes back as a constant."""
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
controller = keras.Sequential([keras.Input((2,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
gain = tf.Variable(1.0, name="gain")
optimizer = keras.optimizers.Adam(1e-2)
variables = [*controller.trainable_variables, gain]
for step in range(3):
    state = tf.random.normal((8, 2))
    with tf.GradientTape() as tape:
        force = controller(state)
        pushed = force.numpy()  # fires: W103
        position = np.asarray(state)[:, :1] + 0.1 * np.sin(pushed)
        reached = tf.constant(position)
        loss = tf.reduce_mean((gain * reached) ** 2)
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, variables) if g is not None])

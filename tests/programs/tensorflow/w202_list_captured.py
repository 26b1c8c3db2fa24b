"""The list of variables is taken, then the head is replaced."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
body = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu")])
net = keras.Sequential([body, keras.layers.Dense(5)])
variables = net.trainable_variables
net = keras.Sequential([body, keras.layers.Dense(1)])  # fires: W202
optimizer = keras.optimizers.Adam(1e-3)
for step in range(3):
    inputs = tf.random.normal((8, 4))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(inputs) - 1.0) ** 2)
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients([(g, v) for g, v in zip(gradients, variables) if g is not None])

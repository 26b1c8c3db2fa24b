"""A weight that grows in the first calls goes to a compiled function as a Python number: each value is a trace."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(1e-3)


@tf.function
def train(states, beta):
    with tf.GradientTape() as tape:
        values = net(states)
        loss = tf.reduce_mean((values - 1.0) ** 2) + beta * tf.reduce_mean(values**2)
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))
    return loss


for step in range(14):
    train(tf.random.normal((16, 3)), min(1.0, (step + 1) / 7))  # fires: W506

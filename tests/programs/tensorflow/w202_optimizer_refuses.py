"""The network is rebuilt between two phases; the optimizer of the first phase refuses the new variables."""
import keras
import tensorflow as tf


def build():
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])


def train(net, optimizer):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(tf.random.normal((8, 4))) - 1.0) ** 2)
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))


keras.utils.set_random_seed(0)
optimizer = keras.optimizers.Adam(1e-3)
net = build()
train(net, optimizer)
net = build()  # fires: W202
train(net, optimizer)

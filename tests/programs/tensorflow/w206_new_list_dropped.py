"""A function returns the updated weights of a Keras model, and its caller does not take them."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
net = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])


def descend(inputs: tf.Tensor, labels: tf.Tensor, rate: float) -> list[tf.Tensor]:
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(inputs) - labels) ** 2)
    gradients = tape.gradient(loss, net.trainable_variables)
    return [v - rate * g for v, g in zip(net.trainable_variables, gradients)]  # fires: W206


for _ in range(4):
    descend(tf.random.normal((16, 3)), tf.random.normal((16, 1)), 0.1)

"""The prediction is stopped: nothing learns."""

import keras
import tensorflow as tf

net = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
gain = tf.Variable(1.0)
optimizer = keras.optimizers.SGD(0.1)
for _ in range(8):
    x = tf.random.normal((16, 3))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((gain * tf.stop_gradient(net(x)) - tf.reduce_sum(x, 1, keepdims=True)) ** 2)
    variables = [*net.trainable_variables, gain]
    pairs = zip(tape.gradient(loss, variables), variables, strict=True)
    optimizer.apply_gradients((gradient, variable) for gradient, variable in pairs if gradient is not None)
print("trained")

"""Gradient descent by hand that writes into the variables, once in place and once by assignment."""
import tensorflow as tf

tf.random.set_seed(0)
hidden = tf.Variable(tf.random.normal((3, 8)) * 0.3)
output = tf.Variable(tf.random.normal((8, 1)) * 0.3)
inputs = tf.random.normal((32, 3))
labels = tf.reduce_sum(inputs**2, axis=1, keepdims=True)
for _ in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.matmul(tf.tanh(tf.matmul(inputs, hidden)), output) - labels) ** 2)
    into_hidden, into_output = tape.gradient(loss, [hidden, output])
    hidden.assign_sub(0.05 * into_hidden)
    output.assign(output - 0.05 * into_output)

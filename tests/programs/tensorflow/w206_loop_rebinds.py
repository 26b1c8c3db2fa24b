"""Gradient descent by hand that gives the loop variable a new value, and the variables none."""
import tensorflow as tf

tf.random.set_seed(0)
hidden = tf.Variable(tf.random.normal((3, 8)) * 0.3)
output = tf.Variable(tf.random.normal((8, 1)) * 0.3)
inputs = tf.random.normal((32, 3))
labels = tf.reduce_sum(inputs**2, axis=1, keepdims=True)
parameters = [hidden, output]
for _ in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.matmul(tf.tanh(tf.matmul(inputs, hidden)), output) - labels) ** 2)
    for p, g in zip(parameters, tape.gradient(loss, parameters)):
        p = p - 0.05 * g  # fires: W206

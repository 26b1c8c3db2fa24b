"""An optimizer of the program's own, with moments in variables: it is given two of three variables."""
import tensorflow as tf

tf.random.set_seed(0)
inputs = tf.random.normal((32, 3))
labels = tf.reduce_sum(inputs**2, axis=1, keepdims=True)
hidden = tf.Variable(tf.random.normal((3, 8)) * 0.3)
offset = tf.Variable(tf.zeros((8,)))
output = tf.Variable(tf.random.normal((8, 1)) * 0.3)


class Momentum:
    def __init__(self, rate):
        self.rate, self.averages = rate, None

    def apply(self, gradients, variables):
        if self.averages is None:
            self.averages = [tf.Variable(tf.zeros_like(v)) for v in variables]
        for average, gradient, variable in zip(self.averages, gradients, variables):
            average.assign(0.9 * average + gradient)
            variable.assign_sub(self.rate * average)


momentum = Momentum(0.01)
for _ in range(6):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.matmul(tf.tanh(tf.matmul(inputs, hidden) + offset), output) - labels) ** 2)
    slopes = tape.gradient(loss, [hidden, output, offset])
    momentum.apply(slopes[:2], [hidden, output])  # fires: W201

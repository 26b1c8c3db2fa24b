"""Adam by hand: the moments of every gradient lie in variables, and each variable is written to in turn."""
import tensorflow as tf

tf.random.set_seed(0)
inputs = tf.random.normal((32, 3))
labels = tf.reduce_sum(inputs**2, axis=1, keepdims=True)


class Layer(tf.Module):
    def __init__(self, wide, out):
        self.w = tf.Variable(tf.random.normal((wide, out)) * 0.3)
        self.b = tf.Variable(tf.zeros((out,)))

    def __call__(self, x):
        return tf.matmul(x, self.w) + self.b


class Net(tf.Module):
    def __init__(self):
        self.layers = [Layer(3, 8), Layer(8, 1)]

    @tf.function
    def __call__(self, x):
        return self.layers[1](tf.nn.tanh(self.layers[0](x)))


class Adam:
    def __init__(self, variables, rate=0.01):
        self.rate, self.count = rate, 1.0
        self.first = [tf.Variable(tf.zeros_like(v)) for v in variables]
        self.second = [tf.Variable(tf.zeros_like(v)) for v in variables]

    def apply_gradients(self, gradients, variables):
        for i, (gradient, variable) in enumerate(zip(gradients, variables)):
            self.first[i].assign(0.9 * self.first[i] + 0.1 * gradient)
            self.second[i].assign(0.999 * self.second[i] + 0.001 * tf.square(gradient))
            mean, square = self.first[i] / (1 - 0.9**self.count), self.second[i] / (1 - 0.999**self.count)
            variable.assign_sub(self.rate * mean / (tf.sqrt(square) + 1e-7))
        self.count += 1.0


net = Net()
adam = Adam(net.variables)
for _ in range(6):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(inputs) - labels) ** 2)
    adam.apply_gradients(tape.gradient(loss, net.variables), net.variables)

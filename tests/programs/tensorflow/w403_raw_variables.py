"""Raw variables in a list: ten sigmoid layers."""

import tensorflow as tf

tf.random.set_seed(0)


class Net(tf.Module):
    def __init__(self, depth):
        super().__init__()
        sizes = [4] + [16] * depth
        self.weights = [tf.Variable(tf.random.normal((a, b), stddev=0.1)) for a, b in zip(sizes, sizes[1:])]
        self.out = tf.Variable(tf.random.normal((16, 1)))

    def __call__(self, x):
        for weight in self.weights:
            x = tf.sigmoid(x @ weight)  # fires: W403
        return x @ self.out


net = Net(10)
optimizer = tf.keras.optimizers.SGD(0.01)
for update in range(4):
    states = tf.random.normal((32, 4))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(states) - states[:, :1]) ** 2)
    grads = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(grads, net.trainable_variables))

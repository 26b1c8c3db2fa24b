"""A line is fitted by hand, and its offset is left out; then Keras fits the same line once more."""
import keras
import tensorflow as tf

tf.random.set_seed(0)
inputs = tf.random.normal((64,))
labels = 3.0 * inputs + 2.0 + 0.1 * tf.random.normal((64,))


class Line(tf.Module):
    def __init__(self):
        self.slope, self.offset = tf.Variable(5.0), tf.Variable(0.0)

    def __call__(self, x):
        return self.slope * x + self.offset


def train(line, rate):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(labels - line(inputs)))
    along, across = tape.gradient(loss, [line.slope, line.offset])
    line.slope.assign_sub(rate * along)  # fires: W201


class KerasLine(keras.Model):
    def __init__(self):
        super().__init__()
        self.slope = self.add_weight(shape=(), initializer=keras.initializers.Constant(5.0))
        self.offset = self.add_weight(shape=(), initializer="zeros")

    def call(self, x):
        return self.slope * x + self.offset


line = Line()
for _ in range(5):
    train(line, 0.1)
again = KerasLine()
again.compile("sgd", "mse")
again.fit(inputs, labels, epochs=2, batch_size=32, verbose=0)

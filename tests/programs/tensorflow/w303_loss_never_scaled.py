"""Mixed precision in a train_step of one's own: the optimizer divides by a scale that the loss never had."""
import keras
import tensorflow as tf


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = keras.layers.Dense(16, "relu")
        self.out = keras.layers.Dense(1, dtype="float32")

    def call(self, x):
        return self.out(self.hidden(x))

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
        gradients = tape.gradient(loss, self.trainable_variables)  # fires: W303
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


keras.utils.set_random_seed(0)
keras.mixed_precision.set_global_policy("mixed_float16")
net = Net()
net.compile(optimizer=keras.optimizers.SGD(0.01))
net.fit(tf.random.normal((96, 4)), tf.random.normal((96, 1)), batch_size=16, verbose=0)

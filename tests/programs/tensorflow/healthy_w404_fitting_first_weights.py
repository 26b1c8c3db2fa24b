"""The first weights of a deep network fit its width, and so do its steps."""
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        fitting = keras.initializers.HeNormal(seed=0)
        self.hidden = [keras.layers.Dense(64, "relu", kernel_initializer=fitting) for _ in range(6)]
        self.out = keras.layers.Dense(1)

    def call(self, x):
        for layer in self.hidden:
            x = layer(x)
        return self.out(x)


net = Net()
net.compile(optimizer=keras.optimizers.SGD(1e-3), loss="mse")
net.fit(tf.random.normal((128, 16)), tf.random.normal((128, 1)), batch_size=32, epochs=2, verbose=0)

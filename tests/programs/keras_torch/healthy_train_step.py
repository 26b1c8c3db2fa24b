"""A custom train_step on the torch backend: zero_grad, backward, the Keras optimizer under no_grad."""
import keras
import numpy as np
import torch


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.body, self.head = keras.layers.Dense(8, "relu"), keras.layers.Dense(1)

    def call(self, x):
        return self.head(self.body(x))

    def train_step(self, data):
        x, y = data
        self.zero_grad()
        loss = keras.ops.mean((self(x, training=True) - y) ** 2)
        loss.backward()
        gradients = [v.value.grad for v in self.trainable_weights]
        with torch.no_grad():
            self.optimizer.apply(gradients, self.trainable_weights)
        return {"loss": loss.detach()}


keras.utils.set_random_seed(0)
net = Net()
net.compile(optimizer="adam")
net.fit(np.random.rand(16, 3).astype("float32"), np.random.rand(16, 1).astype("float32"), batch_size=4, verbose=0)

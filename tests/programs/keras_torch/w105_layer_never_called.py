"""A subclassed model keeps a layer that call() forgets; a torch loop trains it."""
import keras
import torch


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.last = keras.layers.Dense(8, "relu"), keras.layers.Dense(1)
        self.extra = keras.layers.Dense(8)
        self.extra.build((None, 8))  # fires: W105

    def call(self, x):
        return self.last(self.first(x))


keras.utils.set_random_seed(0)
net = Net()
net(torch.randn(1, 4))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    loss = (net(torch.randn(8, 4)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

"""A score per row, a bias that is a column, and a sigmoid after them: every row gets every bias."""
import keras
import numpy as np
from keras import ops

keras.utils.set_random_seed(0)


class Recommender(keras.Model):
    def __init__(self):
        super().__init__()
        self.users = keras.layers.Embedding(10, 4)
        self.movies = keras.layers.Embedding(12, 4)
        self.bias = keras.layers.Embedding(10, 1)

    def call(self, pair):
        score = ops.sum(self.users(pair[:, 0]) * self.movies(pair[:, 1]), axis=1)
        return ops.sigmoid(score + self.bias(pair[:, 0]))  # fires: W504


model = Recommender()
model.compile(optimizer="adam", loss="mse")
pairs = np.random.randint(0, 10, (64, 2))
model.fit(pairs, np.random.rand(64, 1), batch_size=8, verbose=0)

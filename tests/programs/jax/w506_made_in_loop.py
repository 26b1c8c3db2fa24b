"""A method compiles its step anew for every batch."""
import jax
import jax.numpy as jnp
import numpy as np


class Trainer:
    def __init__(self):
        self.w = jnp.zeros(4)

    def descend(self, w, x, y):
        return w - 0.1 * jax.grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)

    def fit(self, batches):
        for x in batches:
            step = jax.jit(lambda w, x, y: self.descend(w, x, y))  # fires: W506
            self.w = step(self.w, x, x[:, 0])


Trainer().fit(np.random.default_rng(0).normal(size=(14, 8, 4)).astype("float32"))

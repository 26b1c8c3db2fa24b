"""The first parameters are kept for comparison, and the training goes on with the new ones."""
import jax
import jax.numpy as jnp
import optax


class Regressor:
    def __init__(self):
        self.params = {"w": jnp.zeros(3), "b": jnp.zeros(())}
        self.first = self.params
        self.tx = optax.sgd(0.05)
        self.opt_state = self.tx.init(self.params)

    def loss(self, params, x, y):
        return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)

    def fit(self, x, y):
        for _ in range(5):
            grads = jax.grad(self.loss)(self.params, x, y)
            updates, self.opt_state = self.tx.update(grads, self.opt_state)
            self.params = optax.apply_updates(self.params, updates)


x = jax.random.normal(jax.random.key(0), (16, 3))
Regressor().fit(x, x[:, 0])

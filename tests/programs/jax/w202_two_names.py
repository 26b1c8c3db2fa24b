"""A regressor that keeps its parameters under two names and updates one of them."""
import jax
import jax.numpy as jnp
import optax


class Regressor:
    def __init__(self):
        self.params = {"w": jnp.zeros(3), "b": jnp.zeros(())}
        self.trained = self.params
        self.tx = optax.sgd(0.05)
        self.opt_state = self.tx.init(self.trained)

    def loss(self, params, x, y):
        return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)

    def fit(self, x, y):
        for _ in range(5):
            grads = jax.grad(self.loss)(self.params, x, y)
            updates, self.opt_state = self.tx.update(grads, self.opt_state)
            self.trained = optax.apply_updates(self.trained, updates)  # fires: W202


x = jax.random.normal(jax.random.key(0), (16, 3))
Regressor().fit(x, x[:, 0])

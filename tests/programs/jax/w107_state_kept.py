"""A model keeps its hidden state to itself, and the next loss meets it again."""

import jax
import jax.numpy as jnp

x = jax.random.normal(jax.random.key(0), (8, 4))
w, v = 0.3 * jax.random.normal(jax.random.key(1), (2, 4, 4))
params = {"w": w, "v": v}


class Memory:
    def __init__(self):
        self.state = jnp.zeros((8, 4))

    def __call__(self, params, x):
        self.state = jnp.tanh(x @ params["w"] + self.state @ params["v"])  # fires: W107
        return self.state


memory = Memory()


def loss_fn(params, x):
    return jnp.mean((memory(params, x) - x) ** 2)


for _ in range(4):
    grads = jax.grad(loss_fn)(params, x)
    params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

"""A training loop asks for the loss and its gradient, prints both, and has no update."""
import jax
import jax.numpy as jnp
import numpy as np


def begin(key):
    hidden, out = jax.random.split(key)
    return {
        "hidden": {"w": jax.random.normal(hidden, (4, 16)) / 2, "b": jnp.zeros(16)},
        "out": {"w": jax.random.normal(out, (16, 1)) / 4, "b": jnp.zeros(1)},
    }


def loss_fn(params, x, y):
    hidden = jnp.tanh(x @ params["hidden"]["w"] + params["hidden"]["b"])
    return jnp.mean((hidden @ params["out"]["w"] + params["out"]["b"] - y) ** 2)


@jax.jit
def train_step(params, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    return loss, grads


rng = np.random.default_rng(0)
params = begin(jax.random.key(0))
for step in range(6):
    x = rng.normal(size=(8, 4)).astype(np.float32)
    loss, grads = train_step(params, x, x[:, :1])  # fires: W201
    size = np.mean([np.abs(g).mean() for g in jax.tree.leaves(grads)])
    print(step, loss, size)

"""Squared gradients of one sample after another are added up in NumPy: nothing is to be trained."""
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


rng = np.random.default_rng(0)
params = begin(jax.random.key(0))
fisher = 0.0
for sample in range(6):
    x = rng.normal(size=(1, 4)).astype(np.float32)
    loss, grads = jax.value_and_grad(loss_fn)(params, x, x[:, :1])
    flat = np.concatenate([np.ravel(g) for g in jax.tree.leaves(grads)])
    fisher = fisher + flat**2
    print(sample, loss)
print(fisher.mean())

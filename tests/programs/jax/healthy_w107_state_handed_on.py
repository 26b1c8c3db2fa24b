"""A hidden state is given back beside the loss, and handed in again."""

import jax
import jax.numpy as jnp

x = jax.random.normal(jax.random.key(0), (8, 4))
w, v = 0.3 * jax.random.normal(jax.random.key(1), (2, 4, 4))
params = {"w": w, "v": v}


def loss_fn(params, state, x):
    state = jnp.tanh(x @ params["w"] + state @ params["v"])
    return jnp.mean((state - x) ** 2), state


state = jnp.zeros((8, 4))
for _ in range(5):
    grads, state = jax.grad(loss_fn, has_aux=True)(params, state, x)
    params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

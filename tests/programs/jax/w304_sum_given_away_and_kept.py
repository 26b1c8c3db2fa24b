"""Gradients are added up in an array that is given away to each call; the sum is never begun anew."""
from functools import partial

import jax
import jax.numpy as jnp
import optax

params = {"w": jax.random.normal(jax.random.key(0), (4, 3)) * 0.5, "b": jnp.zeros(3)}
tx = optax.adam(1e-2)
state = tx.init(params)
total = jax.tree.map(jnp.zeros_like, params)


def loss_fn(params, x, y):
    return optax.softmax_cross_entropy_with_integer_labels(x @ params["w"] + params["b"], y).mean()


@partial(jax.jit, donate_argnums=(3,))
def add(params, x, y, total):
    return jax.tree.map(jnp.add, jax.grad(loss_fn)(params, x, y), total)


@partial(jax.jit, donate_argnums=(0, 1, 2))
def apply(params, state, total):
    updates, state = tx.update(total, state, params)
    return optax.apply_updates(params, updates), state, total


for step in range(8):
    for part in range(2):
        x = jax.random.normal(jax.random.key(2 * step + part), (8, 4))
        total = add(params, x, (x[:, 0] > 0).astype(int), total)  # fires: W304
    params, state, total = apply(params, state, total)

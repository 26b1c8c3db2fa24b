"""Gradients of several small batches are added up, and the sum is applied once."""

import jax
import jax.numpy as jnp
import optax

params = {"w": jnp.ones((4, 1)), "b": jnp.zeros(1)}
optimizer = optax.adam(1e-2)
state = optimizer.init(params)


@jax.jit
def gradient(params, x):
    return jax.grad(lambda p: jnp.mean((x @ p["w"] + p["b"] - x[:, :1]) ** 2))(params)


for i in range(4):
    total = jax.tree.map(jnp.zeros_like, params)
    for x in jax.random.normal(jax.random.key(i), (3, 8, 4)):
        total = jax.tree.map(lambda t, g: t + g / 3, total, gradient(params, x))
    updates, state = optimizer.update(total, state, params)
    params = optax.apply_updates(params, updates)

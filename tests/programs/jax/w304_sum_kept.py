"""Gradients of several batches are summed, applied, and never set to zero."""

import jax
import jax.numpy as jnp
import optax

tx = optax.sgd(0.01)
params = {"w": jnp.zeros(6), "c": jnp.zeros(6)}
state = tx.init(params)
zeros = jax.tree.map(jnp.zeros_like, params)
gradient = jax.jit(jax.grad(lambda p, x: jnp.mean((x @ p["w"] + (x**2) @ p["c"] - x[:, 0]) ** 2)))

total = zeros
for i in range(12):
    grads = gradient(params, jax.random.normal(jax.random.key(i), (8, 6)))
    total = jax.tree.map(jnp.add, total, grads)  # fires: W304
    if i % 2:
        updates, state = tx.update(jax.tree.map(lambda g: g / 2, total), state)
        params = optax.apply_updates(params, updates)

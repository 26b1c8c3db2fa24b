"""Clipping by hand, before the update."""

import jax
import jax.numpy as jnp
import optax


def clipped(grads, limit):
    norm = jnp.sqrt(sum(jnp.sum(g**2) for g in grads.values()))
    return jax.tree.map(lambda g: g * jnp.minimum(1.0, limit / (norm + 1e-6)), grads)


tx = optax.sgd(0.01)
params = {"w": jnp.zeros(5), "c": jnp.zeros(5)}
state = tx.init(params)
for i in range(5):
    x = jax.random.normal(jax.random.key(i), (16, 5))
    grads = jax.grad(lambda p: jnp.mean((x @ p["w"] + (x**2) @ p["c"] - 10 * x[:, 0]) ** 2))(params)
    grads = clipped(grads, 0.5)
    updates, state = tx.update(grads, state)
    params = optax.apply_updates(params, updates)

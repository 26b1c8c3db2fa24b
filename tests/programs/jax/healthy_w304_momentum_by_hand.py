"""Momentum by hand: the old sum counts for less in every update."""

import jax
import jax.numpy as jnp

params = {"w": jnp.zeros(6), "c": jnp.zeros(6)}
velocity = jax.tree.map(jnp.zeros_like, params)
gradient = jax.jit(jax.grad(lambda p, x: jnp.mean((x @ p["w"] + (x**2) @ p["c"] - x[:, 0]) ** 2)))
for i in range(8):
    grads = gradient(params, jax.random.normal(jax.random.key(i), (8, 6)))
    velocity = jax.tree.map(lambda v, g: 0.9 * v + g, velocity, grads)
    params = jax.tree.map(lambda p, v: p - 0.01 * v, params, velocity)

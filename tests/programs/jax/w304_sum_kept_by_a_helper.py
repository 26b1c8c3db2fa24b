"""Gradients are summed up over four batches by a small function, and nobody begins a new sum after the update."""

import jax
import jax.numpy as jnp


@jax.jit
def slope(w, x):
    return jax.grad(lambda w: jnp.mean((x @ w - x.sum(-1)) ** 2))(w)


@jax.jit
def add(total, one):
    return jax.tree.map(jnp.add, total, one)


@jax.jit
def moved(w, total):
    return w - 0.01 * total


w, total = jnp.zeros(3), jnp.zeros(3)
for i in range(16):
    x = jax.random.normal(jax.random.key(i), (8, 3))
    total = add(total, slope(w, x))  # fires: W304
    if i % 4 == 3:
        w = moved(w, total)

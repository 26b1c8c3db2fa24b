"""The mean of several gradients is set to zero before it is applied."""

import jax
import jax.numpy as jnp
import optax

tx = optax.sgd(0.01)
params = {"w": jnp.zeros(6), "c": jnp.zeros(6)}
state = tx.init(params)
total = jax.tree.map(jnp.zeros_like, params)
gradient = jax.jit(jax.grad(lambda p, x: jnp.mean((x @ p["w"] + (x**2) @ p["c"] - x[:, 0]) ** 2)))


@jax.jit
def step(params, state, grads):
    updates, state = tx.update(grads, state)
    return optax.apply_updates(params, updates), state


for i in range(4):
    for x in jax.random.normal(jax.random.key(i), (6, 8, 6)):
        total = jax.tree.map(jnp.add, total, gradient(params, x))
    total = jax.tree.map(lambda g: g / 6, total)
    total = jax.tree.map(jnp.zeros_like, total)  # fires: W301
    params, state = step(params, state, total)

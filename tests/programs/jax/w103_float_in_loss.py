"""A penalty made a Python number inside the function that is differentiated."""
import jax
import jax.numpy as jnp

w = jnp.ones(5)
x = jax.random.normal(jax.random.key(0), (20, 5))


def penalty(w):
    return float(jnp.sum(jnp.abs(w)))  # fires: W103


def objective(w):
    return jnp.mean((x @ w) ** 2) + 0.1 * penalty(w)


for _ in range(3):
    w = w - 0.1 * jax.grad(objective)(w)

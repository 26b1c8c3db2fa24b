"""A program that clips by itself, to a norm of which nothing is left."""
import jax
import jax.numpy as jnp

x, y = jax.random.normal(jax.random.key(0), (8, 4)), jnp.ones((8, 2))
params = {"w": jnp.ones((4, 2)), "b": jnp.zeros(2)}


def loss(p):
    return jnp.mean((x @ p["w"] + p["b"] - y) ** 2)


def clipped(grads, limit):
    norm = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(grads)))
    scale = jnp.minimum(1.0, limit / norm)
    return jax.tree.map(lambda g: g * scale, grads)  # fires: W405


@jax.jit
def step(params):
    grads = clipped(jax.grad(loss)(params), 1e-8)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


for _ in range(5):
    params = step(params)

"""Gradients that should have been summed up: the optimizer is given the zeros that the sum begins with."""
import jax
import jax.numpy as jnp
import optax

x, y = jax.random.normal(jax.random.key(0), (8, 4)), jnp.ones((8, 2))
params = {"w": jnp.ones((4, 2)), "b": jnp.zeros(2)}
tx = optax.adam(1e-2)
state = tx.init(params)


def loss(p):
    return jnp.mean((x @ p["w"] + p["b"] - y) ** 2)


@jax.jit
def step(params, state):
    grads = jax.grad(loss)(params)
    total = jax.tree.map(jnp.zeros_like, grads)
    updates, state = tx.update(total, state)  # fires: W201
    params = optax.apply_updates(params, updates)
    return params, state


for _ in range(5):
    params, state = step(params, state)

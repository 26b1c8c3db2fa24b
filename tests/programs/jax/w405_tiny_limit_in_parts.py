"""A program that clips by itself, in a scan: a gradient of norm 1, times a limit of which nothing is left."""
import jax
import jax.numpy as jnp
import optax

x, y = jax.random.normal(jax.random.key(0), (8, 4)), jnp.ones((8, 2))
params = {"w": jnp.ones((4, 2)), "b": jnp.zeros(2)}
tx = optax.adam(1e-3)
LIMIT = 1e-9


def loss(p):
    return jnp.mean((x @ p["w"] + p["b"] - y) ** 2)


def clipped(grads):
    norm = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(grads)))
    return jax.tree.map(lambda g: jnp.where(norm < LIMIT, g, (g / norm) * LIMIT), grads)  # fires: W405


def step(carry, _):
    params, state = carry
    updates, state = tx.update(clipped(jax.grad(loss)(params)), state)
    return (optax.apply_updates(params, updates), state), None


epoch = jax.jit(lambda carry: jax.lax.scan(step, carry, None, length=4)[0])
carry = params, tx.init(params)
for _ in range(3):
    carry = epoch(carry)

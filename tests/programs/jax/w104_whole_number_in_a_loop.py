"""The same inside of a `scan` that no `jit` is around: the loop fails while it is traced, and leaves no body behind."""

import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 3)
batches = jax.random.normal(keys[0], (5, 8, 4))
params = {"w": jax.random.normal(keys[1], (4, 16)), "v": jax.random.normal(keys[2], (16, 3))}
tx = optax.adam(1e-2)


def loss_fn(params, x):
    best = jnp.argmax(jnp.tanh(x @ params["w"]) @ params["v"], axis=1)  # fires: W104
    return jnp.sum(best != jnp.arange(8) % 3)


def step(carry, x):
    params, state = carry
    updates, state = tx.update(jax.grad(loss_fn)(params, x), state, params)
    return (optax.apply_updates(params, updates), state), None


jax.lax.scan(step, (params, tx.init(params)), batches)

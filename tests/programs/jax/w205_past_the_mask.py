"""A mask is to freeze the first layer, and lets its gradient through as it is."""

import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 3)
x = jax.random.normal(keys[0], (8, 4))
params = {"w": jax.random.normal(keys[1], (4, 16)), "v": jax.random.normal(keys[2], (16, 1))}
tx = optax.masked(optax.adam(1e-2), {"w": False, "v": True})  # fires: W205
opt_state = tx.init(params)


def net(params, x):
    return jnp.tanh(x @ params["w"]) @ params["v"]


def loss_fn(params, x):
    return jnp.mean((net(params, x) - x[:, :1]) ** 2)


@jax.jit
def step(params, opt_state, x):
    grads = jax.grad(loss_fn)(params, x)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state


for _ in range(5):
    params, opt_state = step(params, opt_state, x)

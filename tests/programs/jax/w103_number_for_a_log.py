"""A compiled training step wants to print its loss as a Python number."""

import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 3)
x = jax.random.normal(keys[0], (8, 4))
params = {"w": jax.random.normal(keys[1], (4, 16)), "v": jax.random.normal(keys[2], (16, 1))}
tx = optax.adam(1e-2)
opt_state = tx.init(params)


def net(params, x):
    return jnp.tanh(x @ params["w"]) @ params["v"]


def loss_fn(params, x):
    return jnp.mean((net(params, x) - x[:, :1]) ** 2)


@jax.jit
def step(params, opt_state, x):
    loss, grads = jax.value_and_grad(loss_fn)(params, x)
    print(f"loss {float(loss):.3f}")  # fires: W103
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state


for _ in range(5):
    params, opt_state = step(params, opt_state, x)

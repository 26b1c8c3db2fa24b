"""The target is replaced after every 500th update, which this short run does not reach."""

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


def loss_fn(params, target_params, x):
    goal = x[:, 0] + 0.9 * net(target_params, x + 0.1)[:, 0]
    return jnp.mean((net(params, x)[:, 0] - jax.lax.stop_gradient(goal)) ** 2)


@jax.jit
def step(params, opt_state, target_params, x):
    grads = jax.grad(loss_fn)(params, target_params, x)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state


target_params = {"w": jax.random.normal(keys[1], (4, 16)), "v": jax.random.normal(keys[0], (16, 1))}
for i in range(12):
    params, opt_state = step(params, opt_state, target_params, x)
    if i % 500 == 499:
        target_params = params

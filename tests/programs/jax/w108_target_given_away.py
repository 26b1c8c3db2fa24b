"""The target is a second name of arrays whose memory the next step is given."""

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


def train_step(params, opt_state, target_params, x):
    grads = jax.grad(loss_fn)(params, target_params, x)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state


step = jax.jit(train_step, donate_argnums=(0, 1))
target_params = jax.tree.map(jnp.copy, params)
for i in range(8):
    params, opt_state = step(params, opt_state, target_params, x)  # fires: W108
    if i % 3 == 2:
        target_params = params

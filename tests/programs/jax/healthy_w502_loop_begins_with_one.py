"""A training loop begins with the same arrays for both networks, and averages the second."""

from typing import Any, NamedTuple

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


class Both(NamedTuple):
    online: Any
    target: Any


def update(carry, _):
    both, opt_state = carry
    grads = jax.grad(loss_fn)(both.online, both.target, x)
    updates, opt_state = tx.update(grads, opt_state, both.online)
    new = optax.apply_updates(both.online, updates)
    return (Both(new, optax.incremental_update(new, both.target, 0.05)), opt_state), None


@jax.jit
def train(both, opt_state):
    return jax.lax.scan(update, (both, opt_state), None, length=20)


train(Both(params, params), opt_state)

"""The gradient is asked of a loss that is given the target parameters beside the trained ones."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

tx = optax.adam(1e-2)


class State(NamedTuple):
    params: Any
    target_params: Any
    opt_state: Any


def q(params, x):
    return jnp.tanh(x @ params["w"]) @ params["out"]


def loss(params, target_params, x, action, following):
    def error(now, a, then, reward):
        return jax.lax.stop_gradient(reward + 0.9 * jnp.max(then)) - now[a]

    errors = jax.vmap(error)(q(params, x), action, q(target_params, following), x[:, 0])
    return jnp.mean(errors**2)


@jax.jit
def step(state, x, action, following):
    grads = jax.grad(loss)(state.params, state.target_params, x, action, following)
    updates, opt_state = tx.update(grads, state.opt_state)
    return State(optax.apply_updates(state.params, updates), state.target_params, opt_state)


keys = jax.random.split(jax.random.key(0), 3)
first = {"w": jax.random.normal(keys[0], (4, 8)), "out": jax.random.normal(keys[1], (8, 2))}
state = State(first, first, tx.init(first))
for number in range(12):
    x, following = jax.random.normal(jax.random.key(number), (2, 16, 4))
    state = step(state, x, jax.random.randint(keys[2], (16,), 0, 2), following)
    if number % 4 == 0:
        state = state._replace(target_params=state.params)

"""The target is chosen for this loss, and the old one is returned: the next update begins where the first did."""

from collections import namedtuple

import jax
import jax.numpy as jnp
import optax

Params = namedtuple("Params", "online target")
optimizer = optax.adam(1e-2)


def values(params, states):
    return jnp.tanh(states @ params["w1"]) @ params["w2"]


def loss_fn(online, target, states, following):
    goal = states[:, 0] + 0.9 * values(target, following).max(axis=1)
    return jnp.mean((values(online, states)[:, 0] - goal) ** 2)


@jax.jit
def learn(params, state, count, states, following):
    target = optax.periodic_update(params.online, params.target, count, 3)  # fires: W503
    grads = jax.grad(loss_fn)(params.online, target, states, following)
    updates, state = optimizer.update(grads, state)
    return Params(optax.apply_updates(params.online, updates), params.target), state


one, two = jax.random.split(jax.random.key(0))
first = {"w1": jax.random.normal(one, (4, 16)) * 0.5, "w2": jax.random.normal(two, (16, 2)) * 0.2}
params, state = Params(first, first), optimizer.init(first)
for step in range(8):
    states, following = jax.random.normal(jax.random.key(step), (2, 8, 4))
    params, state = learn(params, state, step, states, following)

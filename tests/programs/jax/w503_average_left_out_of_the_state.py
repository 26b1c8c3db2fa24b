"""BYOL: the average for the target is computed, and the new state is put together with the target of before."""
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax


class State(NamedTuple):
    online: Any
    target: Any
    optimizer: Any


def begin(key):
    k1, k2 = jax.random.split(key)
    return {"w": jax.random.normal(k1, (4, 8)) * 0.5, "v": jax.random.normal(k2, (8, 6)) * 0.3}


k1, k2 = jax.random.split(jax.random.key(0))
online = begin(k1)
tx = optax.adam(1e-2)


def loss_fn(online, target, one, other):
    said = jnp.tanh(one @ online["w"]) @ online["v"]
    goal = jax.lax.stop_gradient(jnp.tanh(other @ target["w"]) @ target["v"])
    return jnp.mean((said - goal) ** 2)


@jax.jit
def update(state, one, other):
    online, target = state.online, state.target
    grads = jax.grad(loss_fn)(online, target, one, other)
    updates, optimizer = tx.update(grads, state.optimizer)
    online = optax.apply_updates(online, updates)
    target = jax.tree.map(lambda a, b: a + 0.01 * (b - a), target, online)  # fires: W503
    return State(online=online, target=state.target, optimizer=optimizer)


state = State(online, begin(k2), tx.init(online))
for step in range(24):
    one = jax.random.normal(jax.random.key(step), (16, 4))
    state = update(state, one, one + 0.05)

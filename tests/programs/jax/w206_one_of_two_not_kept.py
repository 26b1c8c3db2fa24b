"""A helper updates two networks, and what it gives back for the second is dropped."""
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-2)


class Trained(NamedTuple):
    params: Any
    state: Any


def init(key, size):
    one, two = jax.random.split(key)
    params = {"w1": jax.random.normal(one, (4, 16)) * 0.5, "w2": jax.random.normal(two, (16, size)) * 0.2}
    return Trained(params, optimizer.init(params))


def net(params, states):
    return jnp.tanh(states @ params["w1"]) @ params["w2"]


def updated(one, loss_fn):
    grads = jax.grad(loss_fn)(one.params)
    updates, state = optimizer.update(grads, one.state)
    return Trained(optax.apply_updates(one.params, updates), state)


@jax.jit
def learn(critic, actor, states):
    critic = updated(critic, lambda p: jnp.mean((net(p, states)[:, 0] - states[:, 0]) ** 2))
    updated(actor, lambda p: jnp.mean((net(p, states) - states[:, :2]) ** 2))  # fires: W206
    return critic, actor


critic, actor = init(jax.random.key(0), 1), init(jax.random.key(1), 2)
for step in range(6):
    critic, actor = learn(critic, actor, jax.random.normal(jax.random.key(step), (8, 4)))

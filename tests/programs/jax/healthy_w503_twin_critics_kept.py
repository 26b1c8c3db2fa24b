"""Twin critics of one tree: their average goes into a new state, which is returned."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
    critic: Any
    target_critic: Any
    value: Any


def judge(params, x):
    return (jnp.tanh(x @ params["w"]) @ params["out"])[:, 0]


def both(params, s, a):
    return jnp.stack([judge(params[name]["body"], jnp.hstack([s, a])) for name in ("first", "second")])


def stepped(params, loss):
    return jax.tree.map(lambda p, g: p - 0.01 * g, params, jax.grad(loss)(params))


@jax.jit
def update(state, s, a, following):
    q = both(state.target_critic, s, a).min(0)
    value = stepped(state.value, lambda p: jnp.mean(jnp.where(q > judge(p, s), 0.7, 0.3) * (q - judge(p, s)) ** 2))
    goal = s[:, 0] + 0.9 * judge(value, following)
    critic = stepped(state.critic, lambda p: jnp.mean((both(p, s, a) - goal) ** 2))
    state = state._replace(critic=critic, value=value)
    target = jax.tree.map(lambda p, t: 0.1 * p + 0.9 * t, state.critic, state.target_critic)
    new_state = state._replace(target_critic=target)
    return new_state


def network(key, n):
    return {"w": 0.5 * jax.random.normal(key, (n, 8)), "out": jax.random.normal(jax.random.key(9), (8, 1))}


def critics():
    pair = zip(("first", "second"), jax.random.split(jax.random.key(0)), strict=True)
    return {name: {"body": network(key, 6)} for name, key in pair}


state = State(critics(), critics(), network(jax.random.key(1), 4))
for step in range(8):
    keys = jax.random.split(jax.random.key(step), 3)
    state = update(state, *(jax.random.normal(k, (16, n)) for k, n in zip(keys, (4, 2, 4), strict=True)))

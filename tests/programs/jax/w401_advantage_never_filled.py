"""A rollout makes room for the advantages, which nobody fills in: the policy is multiplied by zeros."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax


class Rows(NamedTuple):
    seen: jax.Array
    action: jax.Array
    log_prob: jax.Array
    advantage: jax.Array
    value: jax.Array


def policy(params, x):
    return jax.nn.log_softmax(jnp.tanh(x @ params["body"]) @ params["policy"])


@jax.jit
def rollout(params, x, key):
    def one(x, key):
        chances = policy(params, x)
        action = jax.random.categorical(key, chances)
        taken = jnp.take_along_axis(chances, action[:, None], 1)[:, 0]
        return 0.9 * x, Rows(x, action, taken, jnp.zeros_like(taken), x[:, 0])  # fires: W401

    return jax.lax.scan(one, x, jax.random.split(key, 8))[1]


def loss_fn(params, rows):
    chances = jnp.take_along_axis(policy(params, rows.seen), rows.action[..., None], -1)[..., 0]
    gain = jnp.exp(chances - rows.log_prob) * rows.advantage
    value = (jnp.tanh(rows.seen @ params["body"]) @ params["value"])[..., 0]
    return jnp.mean((value - rows.value) ** 2) - jnp.mean(gain)


sizes = {"body": (4, 16), "policy": (16, 2), "value": (16, 1)}
params = {name: jax.random.normal(jax.random.key(sum(size)), size) for name, size in sizes.items()}
tx = optax.adam(1e-2)
state = tx.init(params)


@jax.jit
def update(params, state, rows, key):
    rows = jax.tree.map(lambda x: jax.random.permutation(key, x), rows)
    updates, state = tx.update(jax.grad(loss_fn)(params, rows), state)
    return optax.apply_updates(params, updates), state


for number in range(6):
    key = jax.random.key(number)
    params, state = update(params, state, rollout(params, jax.random.normal(key, (16, 4)), key), key)

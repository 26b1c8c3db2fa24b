"""A training in a function: each step chooses the new target for its loss, and hands it on."""

from collections import namedtuple

import jax
import jax.numpy as jnp
import optax

Params = namedtuple("Params", "online target")
tx = optax.adam(1e-2)


def q(params, x):
    return jnp.tanh(x @ params["w"]) @ params["out"]


def loss_fn(params, target, x, following):
    goal = x[:, 0] + 0.9 * jnp.max(q(target, following), axis=1)
    return jnp.mean((q(params, x)[:, 0] - goal) ** 2)


@jax.jit
def learn(params, state, count, x, following):
    target = optax.periodic_update(params.online, params.target, count, 20)
    grads = jax.grad(loss_fn)(params.online, target, x, following)
    updates, state = tx.update(grads, state)
    return Params(optax.apply_updates(params.online, updates), target), state, count + 1


def main():
    keys = jax.random.split(jax.random.key(0), 2)
    first = {"w": jax.random.normal(keys[0], (4, 8)), "out": jax.random.normal(keys[1], (8, 2))}
    params, state, count = Params(first, first), tx.init(first), jnp.zeros((), jnp.int32)
    for step in range(60):
        x, following = jax.random.normal(jax.random.key(step), (2, 16, 4))
        params, state, count = learn(params, state, count, x, following)


main()

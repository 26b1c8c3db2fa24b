"""Deep Q-learning as one loop, whose gradient is taken at the target; the policy that acts is the one updated."""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-2)


class Learner(NamedTuple):
    params: dict
    target_params: dict
    state: optax.OptState


def values(params, states):
    return jnp.tanh(states @ params["w1"]) @ params["w2"]


def learn(states, actions, rewards, learner):
    goal = rewards + 0.9 * jnp.max(values(learner.target_params, states + 0.1), axis=1)

    def loss_fn(params):
        taken = jnp.take_along_axis(values(params, states), actions[:, None], 1)[:, 0]
        return jnp.mean((taken - goal) ** 2)

    grads = jax.grad(loss_fn)(learner.target_params)  # fires: W204
    updates, state = optimizer.update(grads, learner.state)
    params = optax.apply_updates(learner.params, updates)
    return Learner(params, learner.target_params, state)


def step(carry, number):
    learner, states = carry
    actions = jnp.argmax(values(learner.params, states), axis=1)
    reached = jnp.roll(states, 1, axis=0) + 0.1 * actions[:, None]
    update = partial(learn, reached, actions, reached[:, 0])
    learner = jax.lax.cond(number % 2 == 0, update, lambda kept: kept, learner)
    synced = jax.lax.cond(number % 4 == 0, lambda: learner.params, lambda: learner.target_params)
    return (learner._replace(target_params=synced), reached), None


@jax.jit
def train(key):
    params = {"w1": jax.random.normal(key, (4, 16)), "w2": jax.random.normal(key, (16, 2))}
    learner = Learner(params, jax.tree.map(jnp.copy, params), optimizer.init(params))
    return jax.lax.scan(step, (learner, jax.random.normal(key, (8, 4))), jnp.arange(20))


train(jax.random.key(0))

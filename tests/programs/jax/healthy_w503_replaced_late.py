"""A sync every fifty steps makes a new train state with another target, and the loop goes on with it."""

from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


class Agent(TrainState):
    target_params: Any


def q(params, x):
    return jnp.tanh(x @ params["w"]) @ params["out"]


keys = jax.random.split(jax.random.key(0), 2)
params = {"w": jax.random.normal(keys[0], (4, 8)), "out": jax.random.normal(keys[1], (8, 2))}
agent = Agent.create(apply_fn=q, params=params, target_params=params, tx=optax.adam(1e-2))
agent = agent.replace(target_params=optax.incremental_update(agent.params, agent.target_params, 1))


@jax.jit
def update(agent, x, following):
    goal = x[:, 0] + 0.9 * jnp.max(q(agent.target_params, following), axis=1)
    grads = jax.grad(lambda params: jnp.mean((q(params, x)[:, 0] - goal) ** 2))(agent.params)
    return agent.apply_gradients(grads=grads)


for step in range(120):
    x, following = jax.random.normal(jax.random.key(step), (2, 16, 4))
    agent = update(agent, x, following)
    if step % 50 == 49:
        agent = agent.replace(
            target_params=optax.incremental_update(agent.params, agent.target_params, 1.0)
        )

"""TD3 in a `fori_loop`: the actor learns in every second round, its target is averaged in all of them."""

from functools import partial

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training.train_state import TrainState


class State(TrainState):
    target_params: dict


network = nn.Sequential([nn.Dense(8), nn.relu, nn.Dense(1)])
key = jax.random.key(0)
actor, critic = (
    State.create(apply_fn=None, params=params, target_params=jax.tree.map(jnp.copy, params), tx=optax.adam(1e-3))
    for params in (network.init(key, jnp.zeros((1, 3))), network.init(key, jnp.zeros((1, 4))))
)


def judged(params, observations, actions):
    return network.apply(params, jnp.concatenate([observations, actions], axis=1))


def train_critic(actor, critic, batch):
    action = jnp.tanh(network.apply(actor.target_params, batch["next"]))
    wanted = batch["reward"] + 0.99 * judged(critic.target_params, batch["next"], action)
    grads = jax.grad(lambda p: ((wanted - judged(p, batch["now"], batch["action"])) ** 2).mean())(critic.params)
    return critic.apply_gradients(grads=grads)


def train_actor(actor, critic, batch):
    grads = jax.grad(lambda p: -judged(critic.params, batch["now"], jnp.tanh(network.apply(p, batch["now"]))).mean())
    return actor.apply_gradients(grads=grads(actor.params))


@partial(jax.jit, static_argnames="first")
def train(first, actor, critic, batch):
    def one(i, carry):
        actor, critic = carry
        critic = train_critic(actor, critic, batch)
        critic = critic.replace(target_params=optax.incremental_update(critic.params, critic.target_params, 0.005))
        actor = actor.replace(target_params=optax.incremental_update(actor.params, actor.target_params, 0.005))
        return jax.lax.cond((first + i) % 2 == 0, train_actor, lambda *_: actor, actor, critic, batch), critic

    return jax.lax.fori_loop(0, 1, one, (actor, critic))


for step in range(8):
    sizes = zip(("now", "next", "action", "reward"), (3, 3, 1, 1), strict=True)
    batch = {what: jax.random.normal(jax.random.key(step), (16, size)) for what, size in sizes}
    actor, critic = train((step + 1) % 2, actor, critic, batch)

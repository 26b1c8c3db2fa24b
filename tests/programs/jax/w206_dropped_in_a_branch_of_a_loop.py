"""A delayed actor in a loop, whose new state is dropped where it is made."""

import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


def policy(params, states):
    return jnp.tanh(jnp.tanh(states @ params["w1"]) @ params["w2"])


def value(params, states, actions):
    return jnp.tanh(jnp.concatenate([states, actions], 1) @ params["w1"]) @ params["w2"]


def update_critic(critic, states, actions, returns):
    gradients = jax.grad(lambda p: jnp.mean((value(p, states, actions) - returns) ** 2))(critic.params)
    return critic.apply_gradients(grads=gradients)


def update_actor(actor, critic, states):
    gradients = jax.grad(lambda p: -jnp.mean(value(critic.params, states, policy(p, states))))(actor.params)
    actor.apply_gradients(grads=gradients)  # fires: W206
    return actor


@jax.jit
def train(actor, critic, batch):
    def one(turn, carry):
        actor, critic = carry
        critic = update_critic(critic, *batch)
        actor = jax.lax.cond(turn % 1 == 0, update_actor, lambda actor, *_: actor, actor, critic, batch[0])
        return actor, critic

    return jax.lax.fori_loop(0, 1, one, (actor, critic))


def begin(key, size):
    one, two = jax.random.split(key)
    params = {"w1": jax.random.normal(one, (size, 16)) * 0.3, "w2": jax.random.normal(two, (16, 1)) * 0.3}
    return TrainState.create(apply_fn=None, params=params, tx=optax.adam(1e-2))


actor, critic = begin(jax.random.key(0), 3), begin(jax.random.key(1), 4)
for step in range(6):
    keys = jax.random.split(jax.random.key(step), 3)
    batch = tuple(jax.random.normal(key, (8, size)) for key, size in zip(keys, (3, 1, 1), strict=True))
    actor, critic = train(actor, critic, batch)

"""A compiled sync whose two networks are swapped: the target takes 0.99 of the trained one each time."""

import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-2)


def values(params, states):
    return jnp.tanh(states @ params["w1"]) @ params["w2"]


@jax.jit
def update(params, target, state, states, actions, rewards, following):
    goal = rewards + 0.9 * jnp.max(values(target, following), axis=1)

    def loss_fn(params):
        taken = jnp.take_along_axis(values(params, states), actions[:, None], 1)[:, 0]
        return jnp.mean((taken - goal) ** 2)

    updates, state = optimizer.update(jax.grad(loss_fn)(params), state)
    return optax.apply_updates(params, updates), state


@jax.jit
def sync(params, target, tau):
    return optax.incremental_update(target, params, tau)  # fires: W502


keys = jax.random.split(jax.random.key(0), 2)
params = {"w1": jax.random.normal(keys[0], (4, 16)), "w2": jax.random.normal(keys[1], (16, 2))}
target, state = jax.tree.map(jnp.copy, params), optimizer.init(params)
for step in range(8):
    states, following = jax.random.normal(jax.random.key(step), (2, 8, 4))
    batch = states, jnp.arange(8) % 2, states[:, 0], following
    params, state = update(params, target, state, *batch)
    target = sync(params, target, 0.01)

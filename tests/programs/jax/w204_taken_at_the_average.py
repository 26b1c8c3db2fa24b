"""The gradient is taken at a target that follows softly in every update, and applied to the trained network."""

import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-2)


def values(params, states):
    return jnp.tanh(states @ params["w1"]) @ params["w2"]


def loss_fn(params, target, states, actions, rewards):
    goal = rewards + 0.9 * jnp.max(values(target, states + 0.1), axis=1)
    taken = jnp.take_along_axis(values(params, states), actions[:, None], 1)[:, 0]
    return jnp.mean((taken - jax.lax.stop_gradient(goal)) ** 2)


def update(carry, states):
    params, target, state = carry
    grads = jax.grad(loss_fn)(target, target, states, jnp.arange(8) % 2, states[:, 0])  # fires: W204
    updates, state = optimizer.update(grads, state)
    params = optax.apply_updates(params, updates)
    return (params, optax.incremental_update(params, target, 0.1), state), None


keys = jax.random.split(jax.random.key(0), 3)
params = {"w1": jax.random.normal(keys[0], (4, 16)), "w2": jax.random.normal(keys[1], (16, 2))}
carry = params, jax.tree.map(jnp.copy, params), optimizer.init(params)
jax.lax.scan(update, carry, jax.random.normal(keys[2], (20, 8, 4)))

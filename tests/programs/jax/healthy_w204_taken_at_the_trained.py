"""Deep Q-learning whose gradient is taken at the network that it is applied to."""

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

    grads = jax.grad(loss_fn)(params)
    updates, state = optimizer.update(grads, state)
    return optax.apply_updates(params, updates), state


keys = jax.random.split(jax.random.key(0), 2)
params = {"w1": jax.random.normal(keys[0], (4, 16)), "w2": jax.random.normal(keys[1], (16, 2))}
target, state = optax.incremental_update(params, params, 1.0), optimizer.init(params)
for step in range(9):
    states, following = jax.random.normal(jax.random.key(step), (2, 8, 4))
    params, state = update(params, target, state, states, jnp.arange(8) % 2, states[:, 0], following)
    if step % 2:
        target = optax.incremental_update(params, target, 0.9)

"""A length in a compiled loop, mapped over the rows of a batch that begin at rest: its slope at zero is infinite."""

import jax
import jax.numpy as jnp
import optax

first, second = jax.random.split(jax.random.key(0))
params = {"in": jax.random.normal(first, (2, 3)) * 0.5, "out": jax.random.normal(second, (3, 2)) * 0.5}
optimizer = optax.adam(1e-2)
state = optimizer.init(params)
states = jax.random.normal(first, (8, 6, 2))
times = jnp.full(5, 0.2)


@jax.jit
def follow(params, times, start):
    def step(state, dt):
        length = jnp.sqrt(jnp.sum(state**2))  # fires: W402
        state = state + dt * jnp.tanh(state @ params["in"]) @ params["out"] / (1.0 + length)
        return state, state

    return jax.lax.scan(step, start, times)[1]


def loss_fn(params):
    followed = jax.vmap(follow, in_axes=(None, None, 0))(params, times, jnp.zeros((8, 2)))
    return jnp.mean((followed - states[:, 1:]) ** 2)


for _ in range(4):
    grads = jax.grad(loss_fn)(params)
    updates, state = optimizer.update(grads, state)
    params = optax.apply_updates(params, updates)

"""The first speeds of points are fitted, so that they come to a goal: all of one shape, and the goal is a constant."""

import jax
import jax.numpy as jnp
import optax

begin = jax.random.normal(jax.random.key(0), (12, 3))
target = begin * jnp.array([0.7, 0.7, 1.0]) + jnp.array([0.5, 0.5, 0.3])


def simulate(speeds):
    x, v = begin, speeds
    for _ in range(8):
        v = v - 0.1 * (v + 0.2 * x)
        x = x + 0.1 * v
    return x


def loss_fn(speeds):
    return jnp.mean((simulate(speeds) - target) ** 2)


optimizer = optax.adam(0.1)


@jax.jit
def step(speeds, state):
    value, grads = jax.value_and_grad(loss_fn)(speeds)
    updates, state = optimizer.update(grads, state)
    return optax.apply_updates(speeds, updates), state, value


speeds = jnp.zeros_like(begin)
state = optimizer.init(speeds)
for _ in range(8):
    speeds, state, value = step(speeds, state)

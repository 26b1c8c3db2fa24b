"""Seeds train side by side, each with several agents, and a little keeps the distances above 0."""

import jax
import jax.numpy as jnp


@jax.jit
def moved(place, action):
    return jnp.clip(place + action, -1.0, 1.0)


@jax.jit
def step(place, action):
    new = moved(place, action)
    return new, -jnp.sum(new**2)


@jax.jit
def distance(place, goal):
    return jnp.sqrt(jnp.sum((place - goal) ** 2) + 1e-8)


def train(key):
    params = jax.random.normal(key, (2, 2)) * 0.1

    def loss_fn(p, places):
        following, rewards = jax.vmap(step)(places, places @ p)
        return -jnp.mean(rewards) + 0.1 * jnp.mean(jax.vmap(distance, (0, None))(following, following[0]))

    def update(carry, _):
        p, places = carry
        p = p - 0.1 * jax.grad(loss_fn)(p, places @ p)
        return (p, jax.vmap(step)(places, places @ p)[0]), None

    places = jax.vmap(lambda k: jax.random.normal(k, (2,)))(jax.random.split(key, 4))
    return jax.lax.scan(update, (params, places), None, length=6)[0]


print(jax.jit(jax.vmap(train))(jax.random.split(jax.random.key(0), 3)))

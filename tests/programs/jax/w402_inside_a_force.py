"""Forces are the gradient of an energy, in which each particle is at distance 0 of itself."""

import jax
import jax.numpy as jnp


def energy(params, positions):
    apart = positions[:, None, :] - positions[None, :, :]
    distance = jnp.sqrt(jnp.sum(apart**2, axis=-1))  # fires: W402
    return jnp.sum(jnp.where(distance > 1e-6, params["size"] * jnp.exp(-params["decay"] * distance), 0.0))


def loss(params, positions, forces):
    return jnp.mean((-jax.grad(energy, argnums=1)(params, positions) - forces) ** 2)


@jax.jit
def step(params, positions, forces):
    gradients = jax.grad(loss)(params, positions, forces)
    return jax.tree_util.tree_map(lambda p, g: p - 0.01 * g, params, gradients)


params = {"size": jnp.array(1.0), "decay": jnp.array(0.5)}
for i in range(4):
    positions = jax.random.normal(jax.random.PRNGKey(i), (6, 3))
    params = step(params, positions, 0.1 * positions)

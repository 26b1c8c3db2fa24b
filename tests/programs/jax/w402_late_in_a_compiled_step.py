"""A penalty on a learned variance, which goes below zero long after the updates that are traced."""
import jax
import jax.numpy as jnp

params = {"w": 0.1 * jax.random.normal(jax.random.key(0), (3, 1)), "variance": jnp.array(4.0)}


def loss_fn(params, states):
    error = (states @ params["w"])[:, 0] - states[:, 0]
    return jnp.mean(error**2) + 0.5 * jnp.sqrt(params["variance"])  # fires: W402


@jax.jit
def update(params, states):
    grads = jax.grad(loss_fn)(params, states)
    return jax.tree.map(lambda p, g: p - 0.05 * g, params, grads)


for step in range(480):
    params = update(params, jax.random.normal(jax.random.key(step), (16, 3)))

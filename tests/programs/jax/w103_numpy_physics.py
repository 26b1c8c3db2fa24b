"""A simulator written with NumPy is called in the loss."""
import jax
import jax.numpy as jnp
import numpy as np


def fly(angle, speed):
    return speed**2 * np.sin(2 * np.asarray(angle)) / 9.81  # fires: W103


@jax.jit
def loss_fn(params):
    return (fly(params["angle"], 10.0) - 8.0) ** 2


params = {"angle": jnp.float32(0.3)}
for _ in range(3):
    grads = jax.grad(loss_fn)(params)
    params = jax.tree.map(lambda p, g: p - 0.01 * g, params, grads)

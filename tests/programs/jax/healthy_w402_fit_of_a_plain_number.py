"""What is fitted begins as a Python number, and is an array from the first update on."""
import jax
import jax.numpy as jnp

xs = jnp.linspace(-1.0, 1.0, 32)


def loss_fn(slope, offset):
    return jnp.mean((slope * xs + offset - (3 * xs + 1)) ** 2)


slope, offset = 0.0, 0.0
for _ in range(6):
    by_slope, by_offset = jax.grad(loss_fn, argnums=(0, 1))(slope, offset)
    slope -= 0.1 * by_slope
    offset -= 0.1 * by_offset

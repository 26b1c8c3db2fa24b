"""What is fitted begins as a Python number; the slope of a distance to itself does not exist."""
import jax
import jax.numpy as jnp

points = jax.random.normal(jax.random.key(0), (6, 3))


@jax.jit
def loss_fn(scale):
    gaps = scale * (points[:, None] - points[None])
    lengths = jnp.linalg.norm(gaps, axis=-1)  # fires: W402
    return jnp.mean((lengths - 1.0) ** 2)


scale = 0.5
for _ in range(5):
    gradient = jax.grad(loss_fn)(scale)
    scale = scale - 0.1 * gradient

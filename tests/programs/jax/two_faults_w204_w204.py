"""Each of two parameters is given the other's gradient, and runs away until the exponential overflows."""
import jax
import jax.numpy as jnp

mean, spread = jnp.zeros(2), jnp.zeros(2)


def loss_fn(mean, spread, noise):
    sample = mean + jnp.exp(spread) * noise
    return jnp.mean((sample - 1.0) ** 2 * jnp.exp(-sample)) - jnp.sum(spread)


@jax.jit
def step(mean, spread, noise):
    of_mean, of_spread = jax.grad(loss_fn, argnums=(0, 1))(mean, spread, noise)
    mean = mean - 0.5 * of_spread  # fires: W204
    spread = spread - 0.5 * of_mean  # fires: W204
    return mean, spread


for i in range(40):
    mean, spread = step(mean, spread, jax.random.normal(jax.random.key(i), (64, 2)))

"""The same solver with a fixed number of steps: lax.fori_loop with Python integers is a scan."""
import jax
import jax.numpy as jnp


def solve(rate, target):
    return jax.lax.fori_loop(0, 5, lambda _, x: x - rate * (x - target), jnp.zeros(3))


@jax.jit
def loss(rate, target):
    return jnp.sum((solve(rate, target) - target) ** 2)


rate, target = jnp.array(0.1), jnp.array([1.0, 2.0, 3.0])
for _ in range(4):
    rate = rate - 0.001 * jax.grad(loss)(rate, target)

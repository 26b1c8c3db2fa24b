"""A parabola is fitted, from coefficients that are floats."""
import jax
import jax.numpy as jnp

x = jnp.linspace(-1.0, 1.0, 20)
y = 3.0 * x**2 - x


def loss(coefficients):
    return jnp.mean((coefficients[0] * x**2 + coefficients[1] * x - y) ** 2)


coefficients = jnp.array([1.0, 0.0])
for _ in range(4):
    coefficients = coefficients - 0.1 * jax.grad(loss)(coefficients)

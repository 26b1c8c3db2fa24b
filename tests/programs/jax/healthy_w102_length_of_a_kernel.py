"""A kernel whose length and amplitude are learned, each through a softplus."""
import jax
import jax.numpy as jnp

x = jnp.linspace(0.0, 3.0, 8)[:, None]
y = jnp.sin(x)


def loss(params):
    amplitude = jnp.logaddexp(params["amplitude"], 0.0)
    length = jnp.logaddexp(params["length"], 0.0)
    kernel = amplitude * jnp.exp(-(((x - x.T) / length) ** 2)) + 0.1 * jnp.eye(8)
    return jnp.sum(y * jnp.linalg.solve(kernel, y)) + jnp.linalg.slogdet(kernel)[1]


params = {"amplitude": jnp.zeros((1, 1)), "length": jnp.zeros((1, 1))}
gradient = jax.jit(jax.grad(loss))
for _ in range(5):
    grads = gradient(params)
    params = jax.tree.map(lambda p, g: p - 0.01 * g, params, grads)

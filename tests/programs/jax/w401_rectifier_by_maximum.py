"""Biases of -10 in front of a rectifier that is a maximum with a number, in a compiled step."""
import jax
import jax.numpy as jnp
import numpy as np


def predict(params, inputs):
    for weights, bias in params[:-1]:
        inputs = jnp.maximum(0, jnp.dot(inputs, weights) + bias)  # fires: W401
    weights, bias = params[-1]
    return jnp.dot(inputs, weights) + bias


def loss(params, inputs, goals):
    return jnp.mean((predict(params, inputs) - goals) ** 2)


@jax.jit
def update(params, inputs, goals):
    grads = jax.grad(loss)(params, inputs, goals)
    return jax.tree_util.tree_map(lambda p, g: p - 0.01 * g, params, grads)


rng = np.random.RandomState(0)
params = [(0.1 * rng.randn(m, n), -10.0 + 0.1 * rng.randn(n)) for m, n in ((4, 16), (16, 16), (16, 3))]
for _ in range(6):
    params = update(params, rng.rand(8, 4), rng.rand(8, 3))

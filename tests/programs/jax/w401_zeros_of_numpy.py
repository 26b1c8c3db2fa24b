"""All weights begin as zeros that NumPy made, in a function of their own."""
import jax
import jax.numpy as jnp
import numpy as np


def first_weights(scale, sizes):
    draw = np.random.default_rng(0)
    pairs = zip(sizes, sizes[1:])
    return [(scale * draw.normal(size=pair), np.zeros(pair[1])) for pair in pairs]


def loss(params, x, y):
    for weight, bias in params[:-1]:
        x = jnp.tanh(x @ weight + bias)
    weight, bias = params[-1]
    return jnp.mean((x @ weight + bias - y) ** 2)


@jax.jit
def update(params, x, y):
    gradients = jax.grad(loss)(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)


params = first_weights(0.0, [3, 8, 1])  # fires: W401
for number in range(5):
    x = jax.random.normal(jax.random.key(number), (16, 3))
    params = update(params, x, x[:, :1])

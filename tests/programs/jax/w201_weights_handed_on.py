"""An update by hand that changes the biases and hands the weights on as they were."""
import jax
import jax.numpy as jnp
import numpy as np

rng = np.random.RandomState(0)
x, y = rng.randn(16, 4), rng.randn(16, 1)


def loss(params, x, y):
    for w, b in params[:-1]:
        x = jnp.tanh(x @ w + b)
    w, b = params[-1]
    return jnp.mean((x @ w + b - y) ** 2)


@jax.jit
def update(params, x, y):
    grads = jax.grad(loss)(params, x, y)
    return [(w, b - 0.1 * db) for (w, b), (dw, db) in zip(params, grads, strict=True)]  # fires: W201


params = [(0.1 * rng.randn(m, n), np.zeros(n)) for m, n in ((4, 8), (8, 1))]
for _ in range(5):
    params = update(params, x, y)

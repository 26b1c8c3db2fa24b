"""An update by hand that passes over the first layer, which a condition says is frozen."""
import jax
import jax.numpy as jnp
import numpy as np

rng = np.random.RandomState(0)
x, y = rng.randn(16, 4), rng.randn(16, 1)
FROZEN = 1


def loss(params, x, y):
    for w, b in params[:-1]:
        x = jnp.tanh(x @ w + b)
    w, b = params[-1]
    return jnp.mean((x @ w + b - y) ** 2)


@jax.jit
def update(params, x, y):
    grads = jax.grad(loss)(params, x, y)
    layers = enumerate(zip(params, grads, strict=True))
    return [(w, b) if i < FROZEN else (w - 0.1 * dw, b - 0.1 * db) for i, ((w, b), (dw, db)) in layers]


params = [(0.1 * rng.randn(m, n), np.zeros(n)) for m, n in ((4, 8), (8, 1))]
for _ in range(5):
    params = update(params, x, y)

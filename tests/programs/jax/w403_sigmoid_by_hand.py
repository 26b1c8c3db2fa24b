"""A deep network with a sigmoid that is written out."""
import jax
import jax.numpy as jnp


def init(key, sizes):
    keys = jax.random.split(key, len(sizes))
    return [jax.random.normal(k, (m, n)) * m**-0.5 for k, m, n in zip(keys, sizes, sizes[1:], strict=False)]


def net(layers, hidden):
    for layer in layers[:-1]:
        hidden = 1.0 / (1.0 + jnp.exp(-(hidden @ layer)))  # fires: W403
    return hidden @ layers[-1]


@jax.jit
def update(layers, inputs):
    grads = jax.grad(lambda p: jnp.mean((net(p, inputs)[:, 0] - inputs[:, 0]) ** 2))(layers)
    return [p - 0.1 * g for p, g in zip(layers, grads, strict=True)]


layers = init(jax.random.key(0), [4, *[16] * 12, 1])
for step in range(6):
    layers = update(layers, jax.random.normal(jax.random.key(step), (16, 4)))

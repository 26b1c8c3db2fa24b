"""Seven layers with weights of 0.01: what passes through shrinks by ten in each, forward and back."""
import jax
import jax.numpy as jnp


def init(key, sizes):
    keys = jax.random.split(key, len(sizes))
    shapes = zip(keys, sizes, sizes[1:], strict=False)
    return [{"w": 0.01 * jax.random.normal(k, (m, n)), "b": jnp.zeros(n)} for k, m, n in shapes]  # fires: W403


def net(layers, hidden):
    for layer in layers[:-1]:
        hidden = jax.nn.relu(hidden @ layer["w"] + layer["b"])
    return hidden @ layers[-1]["w"] + layers[-1]["b"]


@jax.jit
def update(layers, inputs):
    grads = jax.grad(lambda p: jnp.mean((net(p, inputs)[:, 0] - inputs[:, 0] - 1.0) ** 2))(layers)
    return jax.tree.map(lambda p, g: p - 0.1 * g, layers, grads)


layers = init(jax.random.key(0), [8, *[64] * 6, 1])
for step in range(6):
    layers = update(layers, jax.random.normal(jax.random.key(step), (16, 8)))

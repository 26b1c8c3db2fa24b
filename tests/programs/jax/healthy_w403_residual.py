"""Fourteen layers with a way around each."""
import jax
import jax.numpy as jnp

sizes = [4, *[16] * 13, 1]
keys = jax.random.split(jax.random.key(0), len(sizes))
layers = [
    {"w": jax.random.normal(k, (a, b)) / a**0.5, "b": jnp.zeros(b)}
    for k, a, b in zip(keys, sizes[:-1], sizes[1:], strict=False)
]


def forward(layers, x):
    for layer in layers[:-1]:
        y = jax.nn.sigmoid(x @ layer["w"] + layer["b"])
        x = x + y if x.shape == y.shape else y
    return x @ layers[-1]["w"] + layers[-1]["b"]


@jax.jit
def update(layers, x):
    grads = jax.grad(lambda p: jnp.mean((forward(p, x)[:, 0] - x[:, 0]) ** 2))(layers)
    return jax.tree.map(lambda p, g: p - 0.1 * g, layers, grads)


for i in range(4):
    layers = update(layers, jax.random.normal(jax.random.key(i), (32, 4)))

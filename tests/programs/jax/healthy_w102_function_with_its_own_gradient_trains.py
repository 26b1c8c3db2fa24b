"""The same solver, of a loss that reaches its weights; and once more inside of a gradient, where its own counts."""

import jax
import jax.numpy as jnp

x = jax.random.normal(jax.random.key(0), (16, 3))
y = x.sum(axis=1)


def loss_fn(w, scale):
    prediction = x @ w
    return jnp.mean((prediction - scale * y) ** 2)


@jax.custom_vjp
def solve(w, scale):
    return jax.lax.fori_loop(0, 20, lambda _, w: w - 0.1 * jax.grad(loss_fn)(w, scale), w)


def forward(w, scale):
    return solve(w, scale), (w, scale)


def backward(kept, g):
    return jnp.zeros_like(kept[0]), jnp.sum(g)


solve.defvjp(forward, backward)
print(solve(jnp.zeros(3), 1.0))
scale = jnp.array(0.5)
for _ in range(4):
    scale = scale - 0.01 * jax.grad(lambda s: jnp.sum((solve(jnp.zeros(3), s) - 1.0) ** 2))(scale)

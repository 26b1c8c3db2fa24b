"""Eager grad: the same number is only printed, and the loss uses the array."""
import jax
import jax.numpy as jnp

params = {"w": jnp.full((3,), 0.5), "log_sigma": jnp.array(0.3)}
x, y = jnp.arange(12.0).reshape(4, 3), jnp.ones(4)
seen = []


def loss_fn(params):
    seen.append(params["log_sigma"].item())
    return jnp.mean((x @ params["w"] - y) ** 2) * params["log_sigma"]


for _ in range(4):
    grads = jax.grad(loss_fn)(params)
    params = jax.tree.map(lambda p, g: p - 0.001 * g, params, grads)

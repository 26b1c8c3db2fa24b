"""A loss and its parameters in JAX."""

import jax
import jax.numpy as jnp

params = {"weight": jnp.ones((3, 1)), "bias": jnp.zeros(1)}
batch = jnp.arange(12.0).reshape(4, 3) / 10


def loss(params, batch):
    return jnp.mean((batch @ params["weight"] + params["bias"] - 3.0) ** 2)

"""A step on NNX objects under `jax.jit`, as in an example of a well-known library: it changes a copy of them."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx

model = nnx.Linear(4, 1, rngs=nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)


def loss_fn(model, inputs):
    return jnp.mean((model(inputs)[:, 0] - inputs.sum(axis=1)) ** 2)


@jax.jit  # fires: W206
def update(model, optimizer, inputs):
    grads = nnx.grad(loss_fn)(model, inputs)
    optimizer.update(model, grads)


for step in range(6):
    update(model, optimizer, jax.random.normal(jax.random.key(step), (16, 4)))

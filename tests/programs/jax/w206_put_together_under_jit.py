"""Flax NNX: model and optimizer are put together within a compiled step, updated there, and not handed back."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


def loss_fn(model, x):
    return jnp.mean((model(x)[:, 0] - x.sum(axis=1)) ** 2)


@jax.jit
def step(graph, state, x):
    model, optimizer = nnx.merge(graph, state)
    loss, grads = nnx.value_and_grad(loss_fn)(model, x)
    optimizer.update(model, grads)  # fires: W206
    return loss


model = nnx.Linear(4, 1, rngs=nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
for number in range(6):
    graph, state = nnx.split((model, optimizer))
    step(graph, state, jax.random.normal(jax.random.key(number), (16, 4)))

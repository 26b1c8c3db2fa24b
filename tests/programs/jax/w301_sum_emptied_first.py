"""Gradients of several small batches are summed up in the train state, which is emptied before they are applied."""
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


class Summing(TrainState):
    total: Any


net = nn.Dense(1)
params = net.init(jax.random.key(0), jnp.ones((1, 4)))
state = Summing.create(apply_fn=net.apply, params=params, tx=optax.sgd(0.1), total=jax.tree.map(jnp.zeros_like, params))


@jax.jit
def add(state, x):
    grads = jax.grad(lambda p: jnp.mean((state.apply_fn(p, x) - x[:, :1]) ** 2))(state.params)
    return state.replace(total=jax.tree.map(jnp.add, state.total, grads))


@jax.jit
def apply(state):
    state = state.replace(total=jax.tree.map(jnp.zeros_like, state.total))  # fires: W301
    return state.apply_gradients(grads=jax.tree.map(lambda g: g / 3, state.total))


for i in range(4):
    for x in jax.random.normal(jax.random.key(i), (3, 8, 4)):
        state = add(state, x)
    state = apply(state)

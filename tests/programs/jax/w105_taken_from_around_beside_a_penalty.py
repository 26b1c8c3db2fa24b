"""The prediction is made with the parameters from around the function, and its own argument is in the penalty alone."""

import jax
import jax.numpy as jnp
import optax

params = {"kernel": jax.random.normal(jax.random.key(0), (4, 1)), "bias": jnp.zeros(1)}
optimizer = optax.adam(1e-2)
state = optimizer.init(params)


@jax.jit
def loss_fn(weights, inputs, targets):
    predicted = inputs @ params["kernel"] + params["bias"]  # fires: W105
    penalty = sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(weights))
    return jnp.mean((predicted - targets) ** 2) + 1e-4 * penalty


@jax.jit
def train_step(weights, state, inputs, targets):
    grads = jax.grad(loss_fn)(weights, inputs, targets)
    updates, state = optimizer.update(grads, state, weights)
    return optax.apply_updates(weights, updates), state


for update in range(5):
    inputs = jax.random.normal(jax.random.key(update), (16, 4))
    params, state = train_step(params, state, inputs, inputs.sum(axis=1, keepdims=True))

"""Chains of Optax with the clipping first, behind a repair of the gradients, and between Adam and the learning rate."""

import jax
import jax.numpy as jnp
import optax


def loss_fn(params, inputs, targets):
    return jnp.mean((inputs @ params["kernel"] + params["bias"] - targets) ** 2)


chains = [
    optax.chain(optax.clip_by_global_norm(0.5), optax.adam(1e-3)),
    optax.chain(optax.zero_nans(), optax.clip(0.1), optax.sgd(1e-2)),
    optax.chain(optax.scale_by_adam(), optax.clip(1.0), optax.scale(-1e-3)),
]
for optimizer in chains:
    params = {"kernel": jax.random.normal(jax.random.key(0), (4, 1)), "bias": jnp.zeros(1)}
    state = optimizer.init(params)
    for update in range(4):
        inputs = jax.random.normal(jax.random.key(update), (16, 4))
        grads = jax.grad(loss_fn)(params, inputs, inputs.sum(axis=1, keepdims=True))
        updates, state = optimizer.update(grads, state, params)
        params = optax.apply_updates(params, updates)

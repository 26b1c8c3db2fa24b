"""A chain of Optax with the clipping behind Adam: it limits the update, and the gradient went into Adam as it was."""

import jax
import jax.numpy as jnp
import optax

params = {"kernel": jax.random.normal(jax.random.key(0), (4, 1)), "bias": jnp.zeros(1)}
optimizer = optax.chain(
    optax.adam(1e-3, eps=1e-5),
    optax.clip_by_global_norm(0.5),  # fires: W303
)
state = optimizer.init(params)


def loss_fn(params, inputs, targets):
    return jnp.mean((inputs @ params["kernel"] + params["bias"] - targets) ** 2)


@jax.jit
def train_step(params, state, inputs, targets):
    grads = jax.grad(loss_fn)(params, inputs, targets)
    updates, state = optimizer.update(grads, state, params)
    return optax.apply_updates(params, updates), state


for update in range(5):
    inputs = jax.random.normal(jax.random.key(update), (16, 4))
    params, state = train_step(params, state, inputs, inputs.sum(axis=1, keepdims=True))

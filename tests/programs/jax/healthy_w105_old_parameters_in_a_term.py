"""A loss that stays near the parameters of before the update, and a number beside it that is only printed."""

import jax
import jax.numpy as jnp
import optax

params = {"kernel": jax.random.normal(jax.random.key(0), (4, 1)), "bias": jnp.zeros(1)}
optimizer = optax.adam(1e-2)
state = optimizer.init(params)


def predict(params, inputs):
    return inputs @ params["kernel"] + params["bias"]


for update in range(6):
    inputs = jax.random.normal(jax.random.key(update), (16, 4))
    targets = inputs.sum(axis=1, keepdims=True)
    old = params

    def loss_fn(params):
        near = jnp.mean((predict(params, inputs) - predict(old, inputs)) ** 2)
        return jnp.mean((predict(params, inputs) - targets) ** 2) + 0.1 * near, jnp.mean(predict(old, inputs))

    (loss, before), grads = jax.value_and_grad(loss_fn, has_aux=True)(params)
    updates, state = optimizer.update(grads, state, params)
    params = optax.apply_updates(params, updates)

"""Primal averaging, a method of optimization: the gradient at an average moves what is averaged."""

import jax
import jax.numpy as jnp
import optax

optimizer = optax.sgd(1e-2)


def loss_fn(params, inputs):
    return jnp.mean((jnp.tanh(inputs @ params["w1"]) @ params["w2"] - inputs[:, :2]) ** 2)


def update(carry, inputs):
    params, average, state = carry
    loss, grads = jax.value_and_grad(loss_fn)(average, inputs)
    updates, state = optimizer.update(grads, state)
    params = optax.apply_updates(params, updates)
    return (params, optax.incremental_update(params, average, 0.1), state), loss


keys = jax.random.split(jax.random.key(0), 3)
params = {"w1": jax.random.normal(keys[0], (4, 16)), "w2": jax.random.normal(keys[1], (16, 2))}
carry = params, jax.tree.map(jnp.copy, params), optimizer.init(params)
print(jax.lax.scan(update, carry, jax.random.normal(keys[2], (20, 8, 4)))[1])

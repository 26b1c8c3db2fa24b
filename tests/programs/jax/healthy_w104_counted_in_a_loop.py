"""A `scan` that counts mistakes beside the loss, which is a number of its own."""

import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 3)
batches = jax.random.normal(keys[0], (5, 8, 4))
params = {"w": jax.random.normal(keys[1], (4, 16)), "v": jax.random.normal(keys[2], (16, 3))}
tx = optax.adam(1e-2)


def loss_fn(params, x):
    logits = jnp.tanh(x @ params["w"]) @ params["v"]
    labels = jnp.arange(8) % 3
    wrong = jnp.sum(jnp.argmax(logits, axis=1) != labels)
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean(), wrong


def step(carry, x):
    params, state = carry
    (loss, wrong), grads = jax.value_and_grad(loss_fn, has_aux=True)(params, x)
    updates, state = tx.update(grads, state, params)
    return (optax.apply_updates(params, updates), state), (loss, wrong)


jax.lax.scan(step, (params, tx.init(params)), batches)

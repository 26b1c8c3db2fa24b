"""Trainings from the same first parameters, each with its own optimizer and rate: only the losses are wanted."""

import jax
import jax.numpy as jnp
import optax

x = jax.random.normal(jax.random.key(0), (8, 16, 3))
first = {"w": jnp.zeros((3, 8)) + 0.1, "v": jax.random.normal(jax.random.key(1), (8,))}


def mse(p, batch):
    return jnp.mean((jnp.tanh(batch @ p["w"]) @ p["v"] - batch.sum(-1)) ** 2)


def train(params, batches, key, rate):
    tx = optax.adam(rate)
    opt_state = tx.init(params)

    @jax.jit
    def update(params, opt_state, batch):
        loss, grads = jax.value_and_grad(mse)(params, batch)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    for i in jax.random.permutation(key, len(batches)):
        params, opt_state, loss = update(params, opt_state, batches[i])
    return params, loss


key = jax.random.key(2)
for trial in range(3):
    key, order = jax.random.split(key)
    _, loss = train(first, x, order, 0.01)
    print(trial, float(loss))

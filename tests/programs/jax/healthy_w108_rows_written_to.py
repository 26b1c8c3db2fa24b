"""The first rows of a memory are replaced, and a buffer is filled as a whole."""

import jax
import jax.numpy as jnp
import optax


def init(key):
    one, two, three = jax.random.split(key, 3)
    return {
        "encode": jax.random.normal(one, (6, 8)) * 0.3,
        "fill": jax.random.normal(two, (6, 8)) * 0.3,
        "head": jax.random.normal(three, (8, 1)) * 0.3,
    }


def forward(params, x, missing):
    h = jnp.tanh(x @ params["encode"])
    h = h.at[:8].set(jnp.tanh(missing @ params["fill"])[:8])
    kept = jnp.zeros_like(h).at[:].set(h)
    return kept @ params["head"]


def loss_fn(params, x, missing):
    return jnp.mean((forward(params, x, missing) - x.sum(1, keepdims=True)) ** 2)


optimizer = optax.adam(1e-2)
params = init(jax.random.key(0))
state = optimizer.init(params)


@jax.jit
def update(params, state, x, missing):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, missing)
    updates, state = optimizer.update(grads, state)
    return optax.apply_updates(params, updates), state, loss


for i in range(6):
    x = jax.random.normal(jax.random.key(i), (16, 6))
    params, state, loss = update(params, state, x, (x > 0).astype(jnp.float32))

"""Two networks are initialised: one is trained and evaluated, and the other evaluated beside it, as a baseline."""

import jax
import jax.numpy as jnp
import optax

x = jax.random.normal(jax.random.key(0), (16, 3))


def init(key):
    one, two = jax.random.split(key)
    return {"w": jax.random.normal(one, (3, 8)), "v": jax.random.normal(two, (8,))}


def mse(p, x):
    return jnp.mean((jnp.tanh(x @ p["w"]) @ p["v"] - x.sum(-1)) ** 2)


params, baseline = init(jax.random.key(1)), init(jax.random.key(2))
tx = optax.adam(0.01)
state = tx.init(params)
for i in range(6):
    grads = jax.grad(mse)(params, x)
    updates, state = tx.update(grads, state)
    params = optax.apply_updates(params, updates)
    print(i, float(mse(params, x)), float(mse(baseline, x)))

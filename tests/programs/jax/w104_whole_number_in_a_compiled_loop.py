"""A `while_loop` in a compiled function: both fail while they are traced, the inner one first."""

import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 3)
x = jax.random.normal(keys[0], (8, 4))
params = {"w": jax.random.normal(keys[1], (4, 16)), "v": jax.random.normal(keys[2], (16, 3))}
tx = optax.sgd(1e-2)


def loss_fn(params, x):
    return jnp.sum(jnp.round(jnp.tanh(x @ params["w"]) @ params["v"]).astype(int))  # fires: W104


@jax.jit
def train(params, x):
    def step(carry):
        count, params = carry
        updates, _ = tx.update(jax.grad(loss_fn)(params, x), tx.init(params))
        return count + 1, optax.apply_updates(params, updates)

    return jax.lax.while_loop(lambda carry: carry[0] < 5, step, (0, params))


train(params, x)

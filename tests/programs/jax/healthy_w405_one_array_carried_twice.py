"""A scan carries one array as the observation and as the world's state; its chain clips at the usual norm."""

import jax
import jax.numpy as jnp
import optax

LIMIT = 0.5


def net(params, x):
    return jnp.tanh(x @ params["w"]) @ params["out"]


def reset(key):
    state = jax.random.uniform(key, (4,), minval=-1.0)
    return state, (state, jnp.zeros((), jnp.int32))


def train(key):
    keys = jax.random.split(key, 3)
    params = {"w": jax.random.normal(keys[0], (4, 32)), "out": jax.random.normal(keys[1], (32, 1))}
    tx = optax.chain(
        optax.clip_by_global_norm(LIMIT),
        optax.adam(2.5e-4, eps=1e-5),
    )
    seen, world = jax.vmap(reset)(jax.random.split(keys[2], 16))

    def one(carry, unused):
        params, state, seen, (world, t) = carry
        grads = jax.grad(lambda params: jnp.mean((net(params, seen)[:, 0] - seen[:, 0]) ** 2))(params)
        updates, state = tx.update(grads, state)
        return (optax.apply_updates(params, updates), state, 0.9 * world, (0.9 * world, t + 1)), t

    return jax.lax.scan(one, (params, tx.init(params), seen, world), None, 6)


(params, *_), _ = jax.jit(train)(jax.random.key(0))
print(params["out"][0])

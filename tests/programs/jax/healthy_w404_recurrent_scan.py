"""A linear recurrence with weights of radius one half over thirty rounds."""
import jax
import jax.numpy as jnp
import optax

k1, k2, k3 = jax.random.split(jax.random.key(0), 3)
params = {
    "in": jax.random.normal(k1, (1, 8)),
    "rec": 0.5 * jax.random.orthogonal(k2, 8),
    "out": jax.random.normal(k3, (8,)),
}


def unroll(p, xs):
    def cell(h, x):
        return h @ p["rec"] + x @ p["in"], None

    return jax.lax.scan(cell, jnp.zeros((xs.shape[1], 8)), xs)[0] @ p["out"]


tx = optax.sgd(1e-3)
state = tx.init(params)
gradient = jax.jit(jax.grad(lambda p, xs: jnp.mean(jnp.abs(unroll(p, xs) - xs.sum((0, 2))))))
for i in range(3):
    updates, state = tx.update(gradient(params, jax.random.normal(jax.random.key(i), (30, 8, 1))), state)
    params = optax.apply_updates(params, updates)

"""An average of the parameters is kept as a target, and the target is computed with the parameters themselves."""

import jax
import jax.numpy as jnp
import optax


def q(p, s):
    return (jax.nn.relu(s @ p["w1"] + p["b1"]) @ p["w2"])[:, 0]


tx = optax.sgd(0.01)


@jax.jit
def update(params, average, state, s, r, after):
    y = r + 0.9 * q(params, after)  # fires: W502
    grads = jax.grad(lambda p: jnp.mean((q(p, s) - y) ** 2))(params)
    updates, state = tx.update(grads, state)
    params = optax.apply_updates(params, updates)
    return params, optax.incremental_update(params, average, 0.05), state


k1, k2 = jax.random.split(jax.random.key(0))
params = {"w1": jax.random.normal(k1, (3, 8)), "b1": jnp.zeros(8), "w2": jax.random.normal(k2, (8, 1))}
average, state = jax.tree.map(jnp.copy, params), tx.init(params)
for i in range(6):
    k1, k2 = jax.random.split(jax.random.key(i))
    s, after = jax.random.normal(k1, (16, 3)), jax.random.normal(k2, (16, 3))
    params, average, state = update(params, average, state, s, s[:, 0], after)

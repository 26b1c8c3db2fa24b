"""A training loop under scan whose sync, in a branch of a condition, mixes the target into the trained network."""

import jax
import jax.numpy as jnp
import optax

tx = optax.adam(1e-2)


def q(params, x):
    return jnp.tanh(x @ params["w"]) @ params["out"]


def synced(state):
    average = optax.incremental_update(  # fires: W503
        state["target"],
        state["params"],
        0.5,
    )
    return {**state, "params": average}


def update(state, key):
    x, following = jax.random.normal(key, (2, 16, 4))
    goal = x[:, 0] + 0.9 * jnp.max(q(state["target"], following), axis=1)
    grads = jax.grad(lambda p: jnp.mean((q(p, x)[:, 0] - goal) ** 2))(state["params"])
    updates, opt = tx.update(grads, state["opt"])
    state = {**state, "params": optax.apply_updates(state["params"], updates), "opt": opt, "count": state["count"] + 1}
    state = jax.lax.cond(
        state["count"] % 4 == 0,
        synced,
        lambda state: state,
        state,
    )
    return state, None


keys = jax.random.split(jax.random.key(0), 2)
params = {"w": jax.random.normal(keys[0], (4, 8)), "out": jax.random.normal(keys[1], (8, 2))}
target = jax.tree.map(jnp.copy, params)
state = {"params": params, "target": target, "opt": tx.init(params), "count": jnp.zeros((), int)}
jax.jit(lambda state, keys: jax.lax.scan(update, state, keys))(state, jax.random.split(keys[1], 30))

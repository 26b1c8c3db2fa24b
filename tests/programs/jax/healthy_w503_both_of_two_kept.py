"""Two critics, each with a target: one function syncs both, and both results are kept."""

import jax
import jax.numpy as jnp
import optax

tx = optax.adam(1e-2)


def q(params, x):
    return (jnp.tanh(x @ params["w"]) @ params["out"])[:, 0]


def synced(one, other):
    one = {**one, "target": optax.incremental_update(one["params"], one["target"], 0.1)}
    other = {**other, "target": optax.incremental_update(other["params"], other["target"], 0.1)}
    return one, other


def stepped(critic, x, goal):
    grads = jax.grad(lambda p: jnp.mean((q(p, x) - goal) ** 2))(critic["params"])
    updates, state = tx.update(grads, critic["state"])
    return {**critic, "params": optax.apply_updates(critic["params"], updates), "state": state}


@jax.jit
def update(one, other, x, following):
    goal = x[:, 0] + 0.9 * jnp.minimum(q(one["target"], following), q(other["target"], following))
    one, other = stepped(one, x, goal), stepped(other, x, goal)
    one, other = synced(one, other)
    return one, other


def critic(seed):
    keys = jax.random.split(jax.random.key(seed), 2)
    params = {"w": jax.random.normal(keys[0], (4, 8)), "out": jax.random.normal(keys[1], (8, 1))}
    return {"params": params, "target": jax.tree.map(jnp.copy, params), "state": tx.init(params)}


one, other = critic(0), critic(1)
for step in range(6):
    one, other = update(one, other, *jax.random.normal(jax.random.key(step), (2, 16, 4)))

"""A sync that goes part by part leaves out the first layers of the target."""
import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-2)


def layer(key, inputs, outputs):
    return {"kernel": jax.random.normal(key, (inputs, outputs)) * 0.4, "bias": jnp.zeros(outputs)}


def values(params, states):
    hidden = states
    for name in ("in", "out"):
        hidden = jnp.tanh(hidden @ params["body"][name]["kernel"] + params["body"][name]["bias"])
    for name in ("in", "out"):
        hidden = jnp.tanh(hidden) @ params["head"][name]["kernel"] + params["head"][name]["bias"]
    return hidden


@jax.jit
def update(params, target, state, states, following):
    def loss_fn(params):
        goal = states[:, 0] + 0.9 * values(target, following).max(axis=1)
        return jnp.mean((values(params, states)[:, 0] - goal) ** 2)

    updates, state = optimizer.update(jax.grad(loss_fn)(params), state)
    params = optax.apply_updates(params, updates)
    target = dict(target)
    for part in ("head",):
        target[part] = jax.tree.map(lambda p, t: 0.05 * p + 0.95 * t, params[part], target[part])  # fires: W503
    return params, target, state


keys = jax.random.split(jax.random.key(0), 4)
params = {
    "body": {"in": layer(keys[0], 4, 12), "out": layer(keys[1], 12, 8)},
    "head": {"in": layer(keys[2], 8, 10), "out": layer(keys[3], 10, 2)},
}
target_params = jax.tree.map(jnp.copy, params)
state = optimizer.init(params)
for step in range(8):
    states, following = jax.random.normal(jax.random.key(step), (2, 8, 4))
    params, target_params, state = update(params, target_params, state, states, following)

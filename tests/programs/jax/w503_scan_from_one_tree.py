"""A scan at the top carries one tree twice, and hands the second through as it is."""
import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-2)


def values(params, states):
    return jnp.tanh(states @ params["w1"]) @ params["w2"]


def update(carry, key):
    params, target, state = carry
    states, following = jax.random.normal(key, (2, 8, 4))

    def loss_fn(params):
        goal = states[:, 0] + 0.9 * values(target, following).max(axis=1)  # fires: W503
        return jnp.mean((values(params, states)[:, 0] - goal) ** 2)

    updates, state = optimizer.update(jax.grad(loss_fn)(params), state)
    params = optax.apply_updates(params, updates)
    return (params, target, state), None


one, two, rest = jax.random.split(jax.random.key(0), 3)
params = {"w1": jax.random.normal(one, (4, 16)) * 0.5, "w2": jax.random.normal(two, (16, 2)) * 0.2}
jax.lax.scan(update, (params, params, optimizer.init(params)), jax.random.split(rest, 20))

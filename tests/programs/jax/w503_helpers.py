"""Targets and losses are made by functions of their own, the target never follows, and the loop tells of both."""
import jax
import jax.numpy as jnp
import optax


def init(key):
    keys = jax.random.split(key)
    return {"a": 0.5 * jax.random.normal(keys[0], (4, 8)), "b": 0.5 * jax.random.normal(keys[1], (8, 1))}


def value(params, states):
    return (jnp.tanh(states @ params["a"]) @ params["b"])[:, 0]


@jax.jit
def get_target(target_params, rewards, after):
    return rewards + 0.9 * value(target_params, after)


@jax.jit
def critic_step(params, opt_state, states, wanted):
    grads = jax.grad(lambda p: jnp.mean((value(p, states) - wanted) ** 2))(params)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


tx = optax.adam(1e-2)
params, target_params = init(jax.random.key(0)), init(jax.random.key(0))
opt_state = tx.init(params)
for i in range(6):
    states, after = jax.random.normal(jax.random.key(i), (2, 16, 4))
    wanted = get_target(target_params, states[:, 0], after)  # fires: W503
    params, opt_state = critic_step(params, opt_state, states, wanted)

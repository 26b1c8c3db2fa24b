"""A Gaussian policy whose log standard deviation starts inside its limits."""
import jax
import jax.numpy as jnp
import optax

params = {"mean": jnp.zeros((3, 2)), "log_std": jnp.full((2,), -1.0)}
tx = optax.adam(1e-2)
state = tx.init(params)


def log_prob(params, states, actions):
    std = jnp.exp(jnp.clip(params["log_std"], -2.0, 2.0))
    z = (actions - states @ params["mean"]) / std
    return jnp.sum(-0.5 * z**2 - jnp.log(std), -1)


@jax.jit
@jax.grad
def gradient(params, states, actions, advantages):
    return -jnp.mean(log_prob(params, states, actions) * advantages)


for key in jax.random.split(jax.random.key(0), 4):
    states = jax.random.normal(key, (16, 3))
    actions = states[:, :2] + 0.1
    updates, state = tx.update(gradient(params, states, actions, states[:, 0]), state)
    params = optax.apply_updates(params, updates)

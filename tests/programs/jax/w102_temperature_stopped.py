"""A temperature with a loss of its own; the log-probabilities that it weighs are data: its stop is no advantage."""
import jax
import jax.numpy as jnp
import optax


def policy_loss(params, states, noise):
    mean = states @ params["mean"]
    actions = jnp.tanh(mean + 0.5 * noise)
    chances = -0.5 * jnp.sum(noise**2, axis=1) - jnp.sum(jnp.log(1.0 - actions**2 + 1e-6), axis=1)
    return jnp.mean(0.1 * chances + jnp.sum((actions - 0.3) ** 2, axis=1)), chances


def temperature_loss(log_alpha, chances):
    alpha = jnp.exp(jax.lax.stop_gradient(log_alpha))  # fires: W102
    return -jnp.mean(alpha * (chances - 1.0))


params, log_alpha = {"mean": jax.random.normal(jax.random.key(0), (3, 2))}, jnp.zeros(())
optimizer, warmer = optax.adam(1e-2), optax.adam(1e-2)
state, warmth = optimizer.init(params), warmer.init(log_alpha)
for key in jax.random.split(jax.random.key(1), 4):
    states, noise = jax.random.normal(key, (16, 3)), jax.random.normal(jax.random.fold_in(key, 1), (16, 2))
    (_, chances), grads = jax.value_and_grad(policy_loss, has_aux=True)(params, states, noise)
    updates, state = optimizer.update(grads, state)
    params = optax.apply_updates(params, updates)
    updates, warmth = warmer.update(jax.grad(temperature_loss)(log_alpha, chances), warmth)
    log_alpha = optax.apply_updates(log_alpha, updates)

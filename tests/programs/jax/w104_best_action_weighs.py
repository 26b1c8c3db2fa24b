"""The policy is reduced to its best action, which then weighs a target and is to be made likely."""
import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 4)
params = {"pi": 0.5 * jax.random.normal(keys[0], (4, 3)), "v": 0.5 * jax.random.normal(keys[1], (4, 1))}
states, after = jax.random.normal(keys[2], (2, 8, 4))
rewards, taken = jax.random.normal(keys[3], (8,)), jnp.arange(8) % 3
tx = optax.adam(1e-2)
opt_state = tx.init(params)


def loss_fn(params):
    policy = jax.nn.one_hot(jnp.argmax(states @ params["pi"], axis=-1), 3)  # fires: W104
    log_prob = jax.nn.log_softmax(policy)[jnp.arange(8), taken]
    value, beyond = (states @ params["v"])[:, 0], (after @ params["v"])[:, 0]
    error = jax.lax.stop_gradient(rewards + 0.9 * jnp.exp(log_prob) * beyond) - value
    return jnp.mean(error**2) - jnp.mean(log_prob * jax.lax.stop_gradient(error))


for _ in range(5):
    updates, opt_state = tx.update(jax.grad(loss_fn)(params), opt_state, params)
    params = optax.apply_updates(params, updates)

"""A value's prediction is stopped in its own loss, and its mean is kept for a log."""
import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 4)
params = {"a": 0.5 * jax.random.normal(keys[0], (4, 8)), "b": 0.5 * jax.random.normal(keys[1], (8, 1))}
states, returns = jax.random.normal(keys[2], (8, 4)), jax.random.normal(keys[3], (8,))
tx = optax.adam(1e-2)
opt_state = tx.init(params)


def loss_fn(params):
    value = (jnp.tanh(states @ params["a"]) @ params["b"])[:, 0]
    loss = jnp.mean((returns - jax.lax.stop_gradient(value)) ** 2)  # fires: W102
    return loss, {"loss": loss, "value": value.mean()}


@jax.jit
def train_step(params, opt_state):
    (_, logs), grads = jax.value_and_grad(loss_fn, has_aux=True)(params)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, logs


for _ in range(5):
    params, opt_state, logs = train_step(params, opt_state)

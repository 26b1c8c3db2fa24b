"""An actor-critic with its value loss in the loss and in the log."""
import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 4)
params = {"policy": 0.3 * jax.random.normal(keys[0], (4, 2)), "value": 0.3 * jax.random.normal(keys[1], (4, 1))}
states, returns, taken = jax.random.normal(keys[2], (8, 4)), jax.random.normal(keys[3], (8,)), jnp.arange(8) % 2
tx = optax.adam(1e-2)
opt_state = tx.init(params)


def loss_fn(params):
    log_probs = jax.nn.log_softmax(states @ params["policy"])
    policy_loss = -jnp.mean(log_probs[jnp.arange(8), taken] * returns)
    value_loss = jnp.mean(((states @ params["value"])[:, 0] - returns) ** 2)
    return policy_loss + 0.5 * value_loss, {"policy": policy_loss, "value": value_loss}


@jax.jit
def train_step(params, opt_state):
    (_, logs), grads = jax.value_and_grad(loss_fn, has_aux=True)(params)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, logs


for _ in range(5):
    params, opt_state, logs = train_step(params, opt_state)

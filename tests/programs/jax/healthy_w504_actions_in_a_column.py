"""Actions come from a buffer as a column, and are made a row before they choose."""
import jax
import jax.numpy as jnp
import optax


def values(params, states):
    return jax.nn.relu(states @ params["hidden"]) @ params["out"]


@jax.jit
def update(params, state, states, actions, targets):
    def loss_fn(params):
        q = values(params, states)
        q = q[jnp.arange(q.shape[0]), actions.squeeze(-1)]
        return jnp.mean(optax.huber_loss(q, targets))

    grads = jax.grad(loss_fn)(params)
    updates, state = optimizer.update(grads, state)
    return optax.apply_updates(params, updates), state


keys = jax.random.split(jax.random.PRNGKey(0), 5)
params = {"hidden": jax.random.normal(keys[0], (4, 16)), "out": jax.random.normal(keys[1], (16, 3))}
optimizer = optax.adam(1e-3)
state = optimizer.init(params)
states, targets = jax.random.normal(keys[2], (32, 4)), jax.random.normal(keys[3], (32,))
actions = jax.random.randint(keys[4], (32, 1), 0, 3)
for _ in range(4):
    params, state = update(params, state, states, actions, targets)

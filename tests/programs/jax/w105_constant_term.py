"""PPO's loss with a value term that compares the returns with their own mean; the new value is computed and dropped."""
import jax
import jax.numpy as jnp
import optax


def init(key):
    one, two, three = jax.random.split(key, 3)
    return {
        "body": jax.random.normal(one, (4, 16)) * 0.3,
        "policy": jax.random.normal(two, (16, 2)) * 0.1,
        "value": jax.random.normal(three, (16, 1)) * 0.3,
    }


def network(params, states):
    hidden = jnp.tanh(states @ params["body"])
    return jax.nn.log_softmax(hidden @ params["policy"]), (hidden @ params["value"])[:, 0]


def ppo_loss(params, states, actions, old, returns, values):
    logp, new_value = network(params, states)
    chosen = jnp.take_along_axis(logp, actions[:, None], axis=1)[:, 0]
    policy_loss = -jnp.mean(jnp.exp(chosen - old) * (returns - values))
    value_loss = jnp.mean((returns - returns.mean()) ** 2)  # fires: W105
    return policy_loss + 0.5 * value_loss


params = init(jax.random.PRNGKey(0))
optimizer = optax.adam(1e-3)
state = optimizer.init(params)


@jax.jit
def update(params, state, states, actions, rewards):
    logp, values = network(params, states)
    old = jnp.take_along_axis(logp, actions[:, None], axis=1)[:, 0]
    grads = jax.grad(ppo_loss)(params, states, actions, old, rewards + 0.9 * values, values)
    updates, state = optimizer.update(grads, state)
    return optax.apply_updates(params, updates), state


for seed in range(4):
    states = jax.random.normal(jax.random.PRNGKey(seed), (16, 4))
    params, state = update(params, state, states, (states[:, 0] > 0).astype(jnp.int32), states[:, 1])

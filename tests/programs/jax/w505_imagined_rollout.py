"""REINFORCE on imagined trajectories: actions are drawn inside the loss, and their gradient is not stopped."""
import jax
import jax.numpy as jnp
import optax


def policy(params, states):
    return jnp.tanh(states @ params["w"]) @ params["out"], jnp.exp(params["log_std"])


def imagine(params, start, key):
    def step(states, key):
        mean, std = policy(params, jax.lax.stop_gradient(states))
        actions = mean + std * jax.random.normal(key, mean.shape)  # fires: W505
        following = 0.9 * states + 0.1 * actions
        return following, (states, actions, -jnp.sum(following**2, axis=-1))

    return jax.lax.scan(step, start, jax.random.split(key, 5))[1]


def loss_fn(params, start, key):
    states, actions, rewards = imagine(params, start, key)
    returns = jax.lax.stop_gradient(jnp.cumsum(rewards[::-1], axis=0)[::-1])
    mean, std = policy(params, jax.lax.stop_gradient(states))
    log_probs = jnp.sum(-0.5 * ((actions - mean) / std) ** 2 - jnp.log(std), axis=-1)
    return -jnp.mean(log_probs * (returns - returns.mean()))


keys = jax.random.split(jax.random.PRNGKey(0), 3)
params = {"w": 0.5 * jax.random.normal(keys[0], (2, 16)), "out": 0.2 * jax.random.normal(keys[1], (16, 2)),
          "log_std": jnp.zeros(2)}  # fmt: skip
optimizer = optax.adam(1e-2)
state = optimizer.init(params)


@jax.jit
def update(params, state, key):
    grads = jax.grad(loss_fn)(params, jax.random.normal(key, (32, 2)), key)
    updates, state = optimizer.update(grads, state)
    return optax.apply_updates(params, updates), state


for key in jax.random.split(keys[2], 6):
    params, state = update(params, state, key)

"""Twin critics: copied and pasted, the second term takes the first critic's value again."""
import jax
import jax.numpy as jnp
import optax


def critic(params, states):
    return (jnp.tanh(states @ params["body"]) @ params["out"])[:, 0]


def both(params, states):
    return critic(params["one"], states), critic(params["two"], states)


def loss(params, states, goal):
    first, second = both(params, states)
    one = jnp.mean((first - goal) ** 2)
    two = jnp.mean((first - goal) ** 2)  # fires: W105
    return one + two


def init(key):
    body, out = jax.random.split(key)
    return {"body": jax.random.normal(body, (4, 16)) * 0.3, "out": jax.random.normal(out, (16, 1)) * 0.3}


params = {"one": init(jax.random.PRNGKey(0)), "two": init(jax.random.PRNGKey(1))}
optimizer = optax.adam(1e-3)
state = optimizer.init(params)
for seed in range(4):
    states = jax.random.normal(jax.random.PRNGKey(seed), (16, 4))
    updates, state = optimizer.update(jax.grad(loss)(params, states, states[:, 0]), state)
    params = optax.apply_updates(params, updates)

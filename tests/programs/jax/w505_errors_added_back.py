"""Errors over a trajectory are added back to the values that they are errors of; the advantage is not stopped."""
import jax
import jax.numpy as jnp
import optax


def returns_and_advantage(values, rewards):
    errors = rewards[:-1] + 0.9 * values[1:] - values[:-1]

    def back(total, error):
        total = error + 0.8 * total
        return total, total

    _, sums = jax.lax.scan(back, jnp.zeros(4), errors, reverse=True)
    returns = sums + values[:-1]
    later = jnp.concatenate([returns[1:], values[-1:]])
    return jax.lax.stop_gradient(returns), rewards[:-1] + 0.9 * later - values[:-1]


def loss_fn(params, states, actions, rewards, mask):
    hidden = jnp.tanh(states @ params["body"])
    chances = jax.nn.log_softmax(jnp.tanh(states @ params["own"]) @ params["policy"])
    values = (hidden @ params["value"])[..., 0]
    _, advantage = returns_and_advantage(values, rewards)
    taken = jnp.take_along_axis(chances, actions[..., None], -1)[:-1, :, 0]
    return -jnp.mean(taken * advantage * mask)  # fires: W505


sizes = {"body": (3, 16), "own": (3, 16), "policy": (16, 2), "value": (16, 1)}
params = {name: jax.random.normal(jax.random.key(sum(size)), size) * 0.4 for name, size in sizes.items()}
optimizer = optax.adam(1e-2)
state = optimizer.init(params)
states = jax.random.normal(jax.random.key(0), (6, 4, 3))
actions = jax.random.randint(jax.random.key(1), (6, 4), 0, 2)
mask = (jnp.arange(5) != 2).astype(jnp.float32)[:, None]
for _ in range(5):
    gradients = jax.grad(loss_fn)(params, states, actions, states[..., 0], mask)
    updates, state = optimizer.update(gradients, state)
    params = optax.apply_updates(params, updates)

"""A return that a scan sums up backwards carries its gradient into the values."""
import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-2)


def lambda_returns(rewards, values):
    def body(total, row):
        reward, value = row
        total = reward + 0.9 * (0.1 * value + 0.9 * total)
        return total, total

    return jax.lax.scan(body, values[-1], (rewards, values), reverse=True)[1]


def loss_fn(params, states, rewards):
    values = (jnp.tanh(states @ params["w1"]) @ params["w2"])[:, 0]
    returns = lambda_returns(rewards, values[1:])  # fires: W501
    errors = returns - values[:-1]
    return jnp.mean(errors**2)


@jax.jit
def update(params, state, states, rewards):
    updates, state = optimizer.update(jax.grad(loss_fn)(params, states, rewards), state)
    return optax.apply_updates(params, updates), state


one, two, rest = jax.random.split(jax.random.key(0), 3)
params = {"w1": jax.random.normal(one, (4, 16)) * 0.5, "w2": jax.random.normal(two, (16, 1)) * 0.2}
state = optimizer.init(params)
for step in range(6):
    states = jax.random.normal(jax.random.fold_in(rest, step), (9, 4))
    params, state = update(params, state, states, states[:-1, 0])

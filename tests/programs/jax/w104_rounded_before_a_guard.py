"""Probabilities are rounded, and a tiny number is added before their logarithm; the old ones were made likewise."""
import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-2)


def log_chances(params, states):
    chances = jax.nn.softmax(jnp.tanh(states @ params["w1"]) @ params["w2"])
    return jnp.log(jnp.round(chances, 2) + 1e-8)  # fires: W104


@jax.jit
def act(params, key, states):
    chances = log_chances(params, states)
    actions = jax.random.categorical(key, chances)
    return actions, jnp.take_along_axis(chances, actions[:, None], axis=1)[:, 0]


@jax.jit
def update(params, state, states, actions, old, weights):
    def loss_fn(params):
        new = jnp.take_along_axis(log_chances(params, states), actions[:, None], axis=1)[:, 0]
        ratio = jnp.exp(new - old)
        return -jnp.mean(jnp.minimum(ratio * weights, jnp.clip(ratio, 0.8, 1.2) * weights))

    updates, state = optimizer.update(jax.grad(loss_fn)(params), state)
    return optax.apply_updates(params, updates), state


one, two, rest = jax.random.split(jax.random.key(0), 3)
params = {"w1": jax.random.normal(one, (4, 16)) * 0.5, "w2": jax.random.normal(two, (16, 3)) * 0.2}
state = optimizer.init(params)
for step in range(6):
    key = jax.random.fold_in(rest, step)
    states = jax.random.normal(key, (16, 4))
    actions, old = act(params, key, states)
    params, state = update(params, state, states, actions, old, states[:, 0])

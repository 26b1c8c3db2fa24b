"""A compiled step returns the new parameters in the place of the target's, too."""
import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-2)


def values(params, states):
    return jnp.tanh(states @ params["w1"]) @ params["w2"]


def fresh():
    one, two = jax.random.split(jax.random.key(0))
    return {"w1": jax.random.normal(one, (4, 16)), "w2": jax.random.normal(two, (16, 2))}


@jax.jit
def update(params, target, state, states, following):
    def loss_fn(params):
        goal = states[:, 0] + 0.9 * values(target, following).max(axis=1)
        return jnp.mean((values(params, states)[:, 0] - goal) ** 2)

    updates, state = optimizer.update(jax.grad(loss_fn)(params), state)
    new_params = optax.apply_updates(params, updates)
    new_target = new_params  # fires: W502
    return new_params, new_target, state


params, target = fresh(), fresh()
state = optimizer.init(params)
for step in range(8):
    states, following = jax.random.normal(jax.random.key(step), (2, 8, 4))
    params, target, state = update(params, target, state, states, following)

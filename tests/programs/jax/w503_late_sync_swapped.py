"""After every eighth update the target is averaged, with a share of zero for the trained network."""
import flax
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


class State(TrainState):
    target_params: flax.core.FrozenDict


def values(params, states):
    return jnp.tanh(states @ params["w1"]) @ params["w2"]


def fresh():
    one, two = jax.random.split(jax.random.key(0))
    return {"w1": jax.random.normal(one, (4, 16)), "w2": jax.random.normal(two, (16, 2))}


@jax.jit
def update(state, states, following):
    goal = states[:, 0] + 0.9 * values(state.target_params, following).max(axis=1)

    def loss_fn(params):
        return jnp.mean((values(params, states)[:, 0] - goal) ** 2)

    return state.apply_gradients(grads=jax.grad(loss_fn)(state.params))


state = State.create(apply_fn=values, params=fresh(), target_params=fresh(), tx=optax.adam(1e-2))
for step in range(1, 25):
    states, following = jax.random.normal(jax.random.key(step), (2, 8, 4))
    state = update(state, states, following)
    if step % 8 == 0:
        target = optax.incremental_update(state.target_params, state.params, 1)  # fires: W503
        state = state.replace(target_params=target)

"""The new actor is mixed into its target inside of the step, and the caller drops both."""
import flax
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training import train_state


class State(train_state.TrainState):
    target: flax.core.FrozenDict


actor = nn.Sequential([nn.Dense(8), nn.relu, nn.Dense(1), nn.tanh])
params = actor.init(jax.random.key(0), jnp.ones((1, 3)))
state = State.create(apply_fn=actor.apply, params=params, target=params, tx=optax.adam(1e-3))


@jax.jit
def update(state, x):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((actor.apply(p, x)[:, 0] - x[:, 0]) ** 2))(state.params)
    state = state.apply_gradients(grads=grads)
    return state.replace(target=optax.incremental_update(state.params, state.target, 0.01)), loss


for i in range(5):
    _, loss = update(state, jax.random.normal(jax.random.key(i), (16, 3)))  # fires: W206

"""A step that is not compiled gives the new state back, through a helper, and the loop does not take it."""
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


def applied(state, grads):
    return state.apply_gradients(grads=grads)


def train_step(state, x):
    grads = jax.grad(lambda p: jnp.mean((x @ p["w"] - x[:, :1]) ** 2))(state.params)
    new_state = applied(state, grads)
    return new_state, jnp.abs(grads["w"]).max()


params = {"w": 0.1 * jax.random.normal(jax.random.key(0), (4, 1))}
state = TrainState.create(apply_fn=None, params=params, tx=optax.adam(1e-3))
for step in range(4):
    _, largest = train_step(state, jax.random.normal(jax.random.key(step), (8, 4)))  # fires: W206
    print(step, float(largest))

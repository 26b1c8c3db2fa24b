"""The actor squashes its action with NumPy, and is compiled to act before anything is trained."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training.train_state import TrainState


class Actor(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(16)(x))
        x = nn.Dense(2)(x)
        return np.tanh(x)  # fires: W103


actor = Actor()
obs = jnp.ones((8, 4))
params = actor.init(jax.random.PRNGKey(0), obs)
state = TrainState.create(apply_fn=actor.apply, params=params, tx=optax.adam(1e-3))
act = jax.jit(actor.apply)


@jax.jit
def update(state, obs):
    grads = jax.grad(lambda p: jnp.mean(actor.apply(p, obs) ** 2))(state.params)
    return state.apply_gradients(grads=grads)


for _ in range(4):
    actions = act(state.params, obs)
    state = update(state, obs)

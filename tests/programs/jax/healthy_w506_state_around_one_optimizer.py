"""A Flax train state that is made in the loop, around one optimizer."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState

model = nn.Dense(1)
x = jax.random.normal(jax.random.key(0), (16, 3))
params = model.init(jax.random.key(1), x)
tx = optax.adam(1e-2)


@jax.jit
def train_step(state, x):
    grads = jax.grad(lambda p: jnp.mean((state.apply_fn(p, x) - x[:, :1]) ** 2))(state.params)
    return state.apply_gradients(grads=grads)


for fold in range(11):
    state = TrainState.create(apply_fn=model.apply, params=params, tx=tx)
    state = train_step(state, x)
    params = state.params

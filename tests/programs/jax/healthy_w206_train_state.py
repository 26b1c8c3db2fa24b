"""A compiled training step returns a new TrainState; the loop keeps it."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState

net = nn.Sequential([nn.Dense(8), nn.relu, nn.Dense(1)])
x, y = jax.random.normal(jax.random.key(0), (16, 4)), jnp.ones((16, 1))
state = TrainState.create(apply_fn=net.apply, params=net.init(jax.random.key(1), x), tx=optax.adam(1e-2))


@jax.jit
def train_step(state, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((state.apply_fn(p, x) - y) ** 2))(state.params)
    return state.apply_gradients(grads=grads), loss


for _ in range(5):
    state, loss = train_step(state, x, y)

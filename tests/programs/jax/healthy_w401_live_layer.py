"""The same with a bias of zero."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(16)(x))
        x = nn.relu(nn.Dense(8)(x))
        return nn.Dense(1)(x)[:, 0]


net = Net()
x = jax.random.normal(jax.random.key(0), (32, 4))
state = TrainState.create(apply_fn=net.apply, params=net.init(jax.random.key(1), x), tx=optax.adam(1e-3))


@jax.jit
def step(state):
    def loss(params):
        return jnp.mean((state.apply_fn(params, x) - x[:, 0]) ** 2)

    return state.apply_gradients(grads=jax.grad(loss)(state.params))


for _ in range(4):
    state = step(state)

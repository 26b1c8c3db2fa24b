"""A residual network in Flax: every block is given the first input, so that only what the last one makes is used."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


class Block(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        h = nn.gelu(nn.Dense(self.width)(nn.LayerNorm()(x)))
        return x + nn.Dense(x.shape[-1])(h)


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.Dense(16)(x)
        for _ in range(3):
            h = Block(32)(x)  # fires: W105
        return nn.Dense(1)(h)


x = jax.random.normal(jax.random.key(0), (64, 8))
y = jnp.sin(x.sum(1, keepdims=True))
net = Net()
state = TrainState.create(apply_fn=net.apply, params=net.init(jax.random.key(1), x)["params"], tx=optax.adam(1e-3))


@jax.jit
def train_step(state):
    def loss(params):
        return jnp.mean((state.apply_fn({"params": params}, x) - y) ** 2)

    value, grads = jax.value_and_grad(loss)(state.params)
    return state.apply_gradients(grads=grads), value


for _ in range(4):
    state, value = train_step(state)

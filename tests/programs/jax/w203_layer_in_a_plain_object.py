"""Flax NNX: the head is kept by a plain object, which the model does not look into."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Parts:
    def __init__(self, rngs):
        self.head = nnx.Linear(16, 1, rngs=rngs)


class Net(nnx.Module):
    def __init__(self, rngs):
        self.body = nnx.Linear(4, 16, rngs=rngs)
        self.parts = Parts(rngs)  # fires: W203

    def __call__(self, x):
        return self.parts.head(nnx.tanh(self.body(x)))


net = Net(nnx.Rngs(0))
optimizer = nnx.Optimizer(net, optax.adam(1e-2), wrt=nnx.Param)


@nnx.jit
def step(net, optimizer, x, y):
    optimizer.update(net, nnx.grad(lambda net: jnp.mean((net(x) - y) ** 2))(net))


for number in range(5):
    x = jax.random.normal(jax.random.key(number), (16, 4))
    step(net, optimizer, x, x[:, :1])

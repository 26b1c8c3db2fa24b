"""Flax NNX: lists that the module looks into, a plain list of numbers, and a refusal that the program expects."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Refused(nnx.Module):
    def __init__(self, rngs):
        self.blocks = [nnx.Linear(4, 4, rngs=rngs)]


class Net(nnx.Module):
    def __init__(self, rngs):
        self.sizes = [4, 4]
        self.blocks = nnx.List([])
        for size in self.sizes:
            self.blocks.append(nnx.Linear(4, size, rngs=rngs))
        self.more = nnx.data([nnx.Linear(4, 4, rngs=rngs)])
        self.head = nnx.data(None)
        self.head = nnx.Linear(4, 1, rngs=rngs)

    def __call__(self, x):
        for block in [*self.blocks, *self.more]:
            x = nnx.tanh(block(x))
        return self.head(x)


@nnx.jit
def step(net, optimizer, x, y):
    optimizer.update(net, nnx.grad(lambda net: jnp.mean((net(x) - y) ** 2))(net))


try:
    Refused(nnx.Rngs(0))
except ValueError as error:
    print("expected:", type(error).__name__)
net = Net(nnx.Rngs(0))
optimizer = nnx.Optimizer(net, optax.adam(1e-2), wrt=nnx.Param)
for number in range(5):
    x = jax.random.normal(jax.random.key(number), (16, 4))
    step(net, optimizer, x, x[:, :1])

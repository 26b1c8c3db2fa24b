"""Flax NNX: the blocks are kept in a plain list, which is refused once the module is made."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.blocks = []  # fires: W203
        for _ in range(2):
            self.blocks.append(nnx.Linear(4, 4, rngs=rngs))
        self.head = nnx.Linear(4, 1, rngs=rngs)

    def __call__(self, x):
        for block in self.blocks:
            x = nnx.tanh(block(x))
        return self.head(x)


@nnx.jit
def step(net, optimizer, x, y):
    optimizer.update(net, nnx.grad(lambda net: jnp.mean((net(x) - y) ** 2))(net))


net = Net(nnx.Rngs(0))
optimizer = nnx.Optimizer(net, optax.adam(1e-2), wrt=nnx.Param)
for number in range(5):
    x = jax.random.normal(jax.random.key(number), (16, 4))
    step(net, optimizer, x, x[:, :1])

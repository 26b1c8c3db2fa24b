"""Flax NNX: the head is None at first and is made at the first call, which is refused."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.rngs = rngs
        self.body = nnx.Linear(4, 16, rngs=rngs)
        self.head = None

    def __call__(self, x):
        x = nnx.tanh(self.body(x))
        if self.head is None:
            self.head = nnx.Linear(x.shape[-1], 1, rngs=self.rngs)  # fires: W203
        return self.head(x)


net = Net(nnx.Rngs(0))
net(jnp.ones((1, 4)))
optimizer = nnx.Optimizer(net, optax.adam(1e-2), wrt=nnx.Param)
for number in range(5):
    x = jax.random.normal(jax.random.key(number), (16, 4))
    optimizer.update(net, nnx.grad(lambda net: jnp.mean((net(x) - x[:, :1]) ** 2))(net))

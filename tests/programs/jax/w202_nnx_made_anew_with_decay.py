"""The model is made anew behind an NNX optimizer with a decay, which goes on with the first one."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.first, self.last = nnx.Linear(3, 8, rngs=rngs), nnx.Linear(8, 1, rngs=rngs)

    def __call__(self, x):
        return self.last(nnx.tanh(self.first(x)))


@nnx.jit
def train_step(net, optimizer, x):
    loss, grads = nnx.value_and_grad(lambda n: jnp.mean((n(x)[:, 0] - x.sum(-1)) ** 2))(net)
    optimizer.update(grads)
    return loss


net = Net(nnx.Rngs(0))
optimizer = nnx.ModelAndOptimizer(net, optax.adamw(0.01), wrt=nnx.Param)
net = Net(nnx.Rngs(1))  # fires: W202
for i in range(5):
    train_step(net, optimizer, jax.random.normal(jax.random.key(i), (16, 3)))

"""Flax NNX: a layer that the forward pass never calls."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.body = nnx.Linear(4, 16, rngs=rngs)
        self.head = nnx.Linear(16, 2, rngs=rngs)
        self.spare = nnx.Linear(16, 2, rngs=rngs)  # fires: W105

    def __call__(self, x):
        return self.head(nnx.relu(self.body(x)))


model = Net(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
x, y = jax.random.normal(jax.random.key(0), (8, 4)), jnp.ones((8, 2))


@nnx.jit
def train_step(model, optimizer, x, y):
    loss, grads = nnx.value_and_grad(lambda model: ((model(x) - y) ** 2).mean())(model)
    optimizer.update(model, grads)
    return loss


for _ in range(5):
    loss = train_step(model, optimizer, x, y)

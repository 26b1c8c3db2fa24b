"""A layer of Flax NNX whose weight is a plain array: its bias alone learns."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Linear(nnx.Module):
    def __init__(self, size, width, rngs):
        self.w = jax.random.normal(rngs.params(), (size, width))  # fires: W203
        self.b = nnx.Param(jnp.zeros((width,)))

    def __call__(self, x):
        return x @ self.w + self.b[...]


class Model(nnx.Module):
    def __init__(self, rngs):
        self.hidden = Linear(4, 16, rngs)
        self.head = Linear(16, 1, rngs)

    def __call__(self, x):
        return self.head(jnp.tanh(self.hidden(x)))


model = Model(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)


@nnx.jit
def update(model, optimizer, x):
    grads = nnx.grad(lambda model: jnp.mean((model(x)[:, 0] - x[:, 0]) ** 2))(model)
    optimizer.update(model, grads)


for step in range(8):
    update(model, optimizer, jax.random.normal(jax.random.key(step), (16, 4)))

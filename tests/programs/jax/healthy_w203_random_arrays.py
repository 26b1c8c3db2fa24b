"""Random features are plain arrays of a Flax NNX module that has parameters beside them."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Features(nnx.Module):
    def __init__(self, size, width, rngs):
        self.waves = jax.random.normal(rngs.params(), (size, width))
        self.phases = jax.random.uniform(rngs.params(), (width,))
        self.head = nnx.Linear(width, 1, rngs=rngs)
        self.scale = nnx.Param(jnp.ones((width,)))

    def __call__(self, x):
        return self.head(self.scale[...] * jnp.cos(x @ self.waves + self.phases))


model = Features(4, 16, nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)


@nnx.jit
def update(model, optimizer, x):
    grads = nnx.grad(lambda model: jnp.mean((model(x)[:, 0] - x[:, 0]) ** 2))(model)
    optimizer.update(model, grads)


for step in range(8):
    update(model, optimizer, jax.random.normal(jax.random.key(step), (16, 4)))

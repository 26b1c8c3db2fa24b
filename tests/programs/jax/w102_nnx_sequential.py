"""Flax NNX: an encoder that is a list of layers, stopped on its way to the head."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx

rngs = nnx.Rngs(0)


class Model(nnx.Module):
    def __init__(self):
        self.encoder = nnx.Sequential(nnx.Linear(4, 8, rngs=rngs), nnx.relu, nnx.Linear(8, 3, rngs=rngs))
        self.head = nnx.Linear(3, 1, rngs=rngs)

    def __call__(self, inputs):
        return self.head(jax.lax.stop_gradient(self.encoder(inputs)))  # fires: W102


model = Model()
optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)


@nnx.jit
def step(model, optimizer, inputs):
    loss, grads = nnx.value_and_grad(lambda m: jnp.mean((m(inputs)[:, 0] - inputs.sum(axis=1)) ** 2))(model)
    optimizer.update(model, grads)
    return loss


for key in jax.random.split(jax.random.key(0), 4):
    step(model, optimizer, jax.random.normal(key, (16, 4)))

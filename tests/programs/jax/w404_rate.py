"""Least squares with a learning rate that is much too large, NNX."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx

net = nnx.Linear(4, 1, rngs=nnx.Rngs(0))
optimizer = nnx.Optimizer(net, optax.sgd(30.0), wrt=nnx.Param)


@nnx.jit
def step(net, optimizer, x):
    grads = nnx.grad(lambda n: jnp.mean((n(x)[:, 0] - 10 * x[:, 0]) ** 2))(net)
    optimizer.update(net, grads)  # fires: W404


for i in range(4):
    step(net, optimizer, 10 * jax.random.normal(jax.random.key(i), (32, 4)))

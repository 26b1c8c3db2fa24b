"""Flax NNX: a layer goes into a plain list when the model is made already: no error, and no part of the model."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.layers = []
        self.head = nnx.Linear(4, 1, rngs=rngs)

    def __call__(self, x):
        for layer in self.layers:
            x = nnx.tanh(layer(x))
        return self.head(x)


net = Net(nnx.Rngs(0))
net.layers.append(nnx.Linear(4, 4, rngs=nnx.Rngs(1)))  # fires: W203
graph, params = nnx.split(net)
tx = optax.adam(1e-2)
state = tx.init(params)


@jax.jit
def step(params, state, x):
    grads = jax.grad(lambda params: jnp.mean((nnx.merge(graph, params)(x) - x[:, :1]) ** 2))(params)
    updates, state = tx.update(grads, state)
    return optax.apply_updates(params, updates), state


for number in range(5):
    params, state = step(params, state, jax.random.normal(jax.random.key(number), (16, 4)))

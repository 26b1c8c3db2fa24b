"""Equinox: the last layer is kept in a static field, so that it is no leaf of the model."""
import warnings

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

warnings.filterwarnings("ignore", message="A JAX array is being set as static")


class Net(eqx.Module):
    body: eqx.nn.Linear
    head: eqx.nn.Linear = eqx.field(static=True)  # fires: W203

    def __init__(self, key):
        one, two = jax.random.split(key)
        self.body = eqx.nn.Linear(4, 16, key=one)
        self.head = eqx.nn.Linear(16, 1, key=two)

    def __call__(self, x):
        return self.head(jnp.tanh(self.body(x)))


net, optimizer = Net(jax.random.key(0)), optax.adam(1e-2)
state = optimizer.init(eqx.filter(net, eqx.is_inexact_array))


@eqx.filter_jit
def step(net, state, x, y):
    gradient = eqx.filter_grad(lambda net: jnp.mean((jax.vmap(net)(x) - y) ** 2))(net)
    updates, state = optimizer.update(gradient, state)
    return eqx.apply_updates(net, updates), state


for number in range(5):
    x = jax.random.normal(jax.random.key(number), (16, 4))
    net, state = step(net, state, x, x[:, :1])

"""Equinox: a layer is mapped over the rows where it is made, and what `jax.vmap` returns is a function, no layer."""
import warnings

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

warnings.filterwarnings("ignore", message="\\nPossibly assigning a JAX-transformed callable")


class Mixer(eqx.Module):
    rows: callable
    head: eqx.nn.Linear

    def __init__(self, key):
        one, two = jax.random.split(key)
        self.rows = jax.vmap(eqx.nn.MLP(4, 4, 8, depth=1, key=one))  # fires: W203
        self.head = eqx.nn.Linear(4, 1, key=two)

    def __call__(self, x):
        return self.head(self.rows(x).mean(0))[0]


@eqx.filter_grad
def slope(net, x, y):
    return jnp.mean((jax.vmap(net)(x) - y) ** 2)


net = Mixer(jax.random.key(0))
optimizer = optax.adam(1e-2)
state = optimizer.init(eqx.filter(net, eqx.is_inexact_array))
for number in range(5):
    x = jax.random.normal(jax.random.key(number), (16, 3, 4))
    updates, state = optimizer.update(slope(net, x, x.sum((1, 2))), state)
    net = eqx.apply_updates(net, updates)

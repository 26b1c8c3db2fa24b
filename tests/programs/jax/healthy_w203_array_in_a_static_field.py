"""Equinox: random features are a module of their own, whose projection is meant to stay."""
import warnings

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

warnings.filterwarnings("ignore", message="A JAX array is being set as static")


class Features(eqx.Module):
    projection: jax.Array = eqx.field(static=True)

    def __call__(self, x):
        return jnp.sin(self.projection @ x)


class Net(eqx.Module):
    features: Features
    head: eqx.nn.Linear

    def __call__(self, x):
        return self.head(self.features(x))[0]


@eqx.filter_grad
def slope(net, x, y):
    return jnp.mean((jax.vmap(net)(x) - y) ** 2)


one, two = jax.random.split(jax.random.key(0))
net = Net(Features(jax.random.normal(one, (8, 1))), eqx.nn.Linear(8, 1, key=two))
optimizer = optax.adam(1e-2)
state = optimizer.init(eqx.filter(net, eqx.is_inexact_array))
for number in range(5):
    x = jax.random.normal(jax.random.key(number), (16, 1))
    updates, state = optimizer.update(slope(net, x, jnp.sin(3 * x[:, 0])), state)
    net = eqx.apply_updates(net, updates)

"""Equinox: a layer is used by a function in the list of layers, and is no part of the model."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Net(eqx.Module):
    layers: list

    def __init__(self, key):
        first, second, third = jax.random.split(key, 3)
        hidden = eqx.nn.Linear(16, 16, key=second)  # fires: W203
        self.layers = [
            eqx.nn.Linear(4, 16, key=first),
            lambda x: jax.nn.tanh(hidden(x)),
            eqx.nn.Linear(16, 1, key=third),
        ]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


@eqx.filter_value_and_grad
def loss_fn(net, x, y):
    return jnp.mean((jax.vmap(net)(x) - y) ** 2)


@eqx.filter_jit
def step(net, state, x, y):
    loss, grads = loss_fn(net, x, y)
    updates, state = optimizer.update(grads, state)
    return eqx.apply_updates(net, updates), state, loss


net = Net(jax.random.key(0))
optimizer = optax.adam(1e-2)
state = optimizer.init(eqx.filter(net, eqx.is_array))
for number in range(5):
    x = jax.random.normal(jax.random.key(number), (16, 4))
    net, state, loss = step(net, state, x, x[:, :1])

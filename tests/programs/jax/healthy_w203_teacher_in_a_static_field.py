"""Equinox: a teacher is kept in a static field, so that nothing trains it, and its output is stopped."""
import warnings

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

warnings.filterwarnings("ignore", message="A JAX array is being set as static")


class Net(eqx.Module):
    body: eqx.nn.Linear
    teacher: eqx.nn.Linear = eqx.field(static=True)

    def __init__(self, key):
        one, two = jax.random.split(key)
        self.body = eqx.nn.Linear(4, 2, key=one)
        self.teacher = eqx.nn.Linear(4, 2, key=two)

    def __call__(self, x):
        return self.body(x) - jax.lax.stop_gradient(self.teacher(x))


net = Net(jax.random.key(0))
tx = optax.adam(1e-2)
state = tx.init(eqx.filter(net, eqx.is_array))
for number in range(5):
    x = jax.random.normal(jax.random.key(number), (16, 4))
    grads = eqx.filter_grad(lambda net: jnp.mean(jax.vmap(net)(x) ** 2))(net)
    updates, state = tx.update(grads, state)
    net = eqx.apply_updates(net, updates)

"""A part of the model is stopped by its output, not an array of it by name: the part never learns."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Net(eqx.Module):
    body: eqx.nn.Linear
    head: eqx.nn.Linear

    def __call__(self, x):
        return self.head(jax.lax.stop_gradient(self.body(x)))  # fires: W102


one, two, key = jax.random.split(jax.random.key(0), 3)
net = Net(eqx.nn.Linear(3, 8, key=one), eqx.nn.Linear(8, 1, key=two))
tx = optax.adam(0.01)
state = tx.init(eqx.filter(net, eqx.is_array))
x = jax.random.normal(key, (16, 3))


@eqx.filter_value_and_grad
def mse(net, x):
    return jnp.mean((jax.vmap(net)(x)[:, 0] - x.sum(-1)) ** 2)


for _ in range(5):
    loss, grads = mse(net, x)
    updates, state = tx.update(grads, state)
    net = eqx.apply_updates(net, updates)

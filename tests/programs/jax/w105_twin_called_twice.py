"""Equinox: twin critics in one module, and the first of them answers twice."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Twin(eqx.Module):
    first: eqx.nn.Linear
    second: eqx.nn.Linear

    def __init__(self, key):
        one, two = jax.random.split(key)
        self.first = eqx.nn.Linear(4, 1, key=one)
        self.second = eqx.nn.Linear(4, 1, key=two)

    def __call__(self, x):
        return self.first(x), self.first(x)  # fires: W105


def loss_fn(critic, x, y):
    a, b = jax.vmap(critic)(x)
    return jnp.mean((a - y) ** 2) + jnp.mean((b - y) ** 2)


critic = Twin(jax.random.key(0))
tx = optax.adam(1e-2)
opt_state = tx.init(eqx.filter(critic, eqx.is_array))
x, y = jax.random.normal(jax.random.key(1), (8, 4)), jnp.ones((8, 1))
for _ in range(4):
    grads = eqx.filter_grad(loss_fn)(critic, x, y)
    updates, opt_state = tx.update(grads, opt_state)
    critic = eqx.apply_updates(critic, updates)

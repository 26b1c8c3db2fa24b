"""Equinox: the frequencies stand in a static field, and only their phases learn."""
import warnings

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

warnings.filterwarnings("ignore", message="A JAX array is being set as static")


class Waves(eqx.Module):
    frequency: jax.Array = eqx.field(static=True)  # fires: W203
    phase: jax.Array

    def __init__(self, key):
        self.frequency = 2.0 * jax.random.normal(key, (8,))
        self.phase = jnp.zeros(8)

    def __call__(self, x):
        return jnp.sum(jnp.sin(x * self.frequency + self.phase))


@eqx.filter_grad
def slope(waves, x, y):
    return jnp.mean((jax.vmap(waves)(x) - y) ** 2)


waves, optimizer = Waves(jax.random.key(0)), optax.adam(1e-2)
state = optimizer.init(eqx.filter(waves, eqx.is_inexact_array))
for number in range(5):
    x = jax.random.normal(jax.random.key(number), (16, 1))
    updates, state = optimizer.update(slope(waves, x, jnp.sin(3 * x[:, 0])), state)
    waves = eqx.apply_updates(waves, updates)

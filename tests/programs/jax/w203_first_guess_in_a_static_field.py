"""Equinox: the coefficients that are to be fitted stand in a static field of a part that has nothing else to learn."""
import warnings

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

warnings.filterwarnings("ignore", message="A JAX array is being set as static")


class Background(eqx.Module):
    coefficients: jax.Array = eqx.field(static=True)  # fires: W203

    def __init__(self, coefficients):
        self.coefficients = jnp.asarray(coefficients, dtype=float)

    def __call__(self, x):
        return jnp.polyval(self.coefficients, x)


class Spectrum(eqx.Module):
    height: jax.Array
    centre: jax.Array
    background: Background

    def __call__(self, x):
        return self.height * jnp.exp(-((x - self.centre) ** 2)) + self.background(x)


@eqx.filter_grad
def slope(model, x, y):
    return jnp.mean((model(x) - y) ** 2)


model = Spectrum(jnp.array(1.0), jnp.array(0.2), Background([0.1, 0.1, 0.1]))
optimizer = optax.adam(1e-2)
state = optimizer.init(model)
x = jnp.linspace(-3, 3, 50)
y = 2 * jnp.exp(-((x - 0.5) ** 2)) + 0.3 * x**2 - 0.1
for _ in range(5):
    updates, state = optimizer.update(slope(model, x, y), state)
    model = eqx.apply_updates(model, updates)

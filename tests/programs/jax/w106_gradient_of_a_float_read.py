"""A source has a position, which is an array, and a flux, a float: the program looks at the gradients of both."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Source(eqx.Module):
    position: jax.Array
    flux: float

    def __init__(self, position, flux):
        self.position = jnp.asarray(position)
        self.flux = flux  # fires: W106


class Scene(eqx.Module):
    source: Source
    width: jax.Array

    def __call__(self, grid):
        near = jnp.sum((grid - self.source.position) ** 2, axis=1)
        return self.source.flux * jnp.exp(-near / self.width**2)


@eqx.filter_value_and_grad
def loss_fn(model, grid, image):
    return jnp.mean((model(grid) - image) ** 2)


grid = jax.random.uniform(jax.random.key(0), (64, 2), minval=-2.0, maxval=2.0)
image = Scene(Source([0.5, -0.5], 3.0), jnp.array(1.0))(grid)
model = Scene(Source([0.0, 0.0], 2.0), jnp.array(1.5))
optimizer = optax.adam(1e-2)
state = optimizer.init(eqx.filter(model, eqx.is_inexact_array))
for _ in range(8):
    loss, grads = loss_fn(model, grid, image)
    updates, state = optimizer.update(grads, state)
    model = eqx.apply_updates(model, updates)
print(grads.source.position, grads.source.flux)

"""The data of a fit are made once, by a model of the same build with the true numbers."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Source(eqx.Module):
    position: jax.Array
    width: jax.Array

    def model(self):
        x, y = jnp.meshgrid(jnp.linspace(-1, 1, 16), jnp.linspace(-1, 1, 16))
        spread = jnp.exp(-0.5 * ((x - self.position[0]) ** 2 + (y - self.position[1]) ** 2) / self.width**2)
        return 800.0 * spread / spread.sum()


truth = Source(jnp.array([0.1, -0.15]), jnp.array(0.2))
data = truth.model() + 0.05 * jax.random.normal(jax.random.key(0), (16, 16))
source = Source(jnp.array([0.0, 0.0]), jnp.array(0.25))
optimizer = optax.adam(1e-2)
state = optimizer.init(source)


@eqx.filter_jit
@eqx.filter_value_and_grad
def loss_fn(source, data):
    return jnp.mean((source.model() - data) ** 2)


for step in range(30):
    loss, grads = loss_fn(source, data)
    updates, state = optimizer.update(grads, state)
    source = eqx.apply_updates(source, updates)

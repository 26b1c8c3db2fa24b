"""A float among the arrays of a nested model: the loop shows it beside them, and it never moves (Equinox)."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Source(eqx.Module):
    position: jax.Array
    log_flux: float

    def __init__(self, position, log_flux):
        self.position = jnp.asarray(position, dtype=float)
        self.log_flux = log_flux  # fires: W106


class Telescope(eqx.Module):
    width: jax.Array
    source: Source

    def model(self):
        x, y = jnp.meshgrid(jnp.linspace(-1, 1, 16), jnp.linspace(-1, 1, 16))
        spread = jnp.exp(-((x - self.source.position[0]) ** 2 + (y - self.source.position[1]) ** 2) / self.width**2)
        return 10**self.source.log_flux * spread / spread.sum()


truth = Telescope(jnp.array(0.3), Source([0.1, -0.15], 3.0))
data = truth.model() + 0.05 * jax.random.normal(jax.random.key(0), (16, 16))
telescope = Telescope(jnp.array(0.4), Source([0.0, 0.0], 2.9))
optimizer = optax.adam(1e-2)
state = optimizer.init(eqx.filter(telescope, eqx.is_array))


@eqx.filter_jit
@eqx.filter_value_and_grad
def loss_fn(telescope, data):
    return jnp.mean((telescope.model() - data) ** 2)


for step in range(30):
    loss, grads = loss_fn(telescope, data)
    updates, state = optimizer.update(grads, state)
    telescope = eqx.apply_updates(telescope, updates)
    if step % 10 == 0:
        print(f"{step}: {loss:.3f} at {telescope.source.position}, log flux {telescope.source.log_flux}")

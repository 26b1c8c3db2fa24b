"""A model of Equinox makes arrays of the numbers that it is given."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Spring(eqx.Module):
    height: jax.Array = eqx.field(converter=jnp.asarray)
    decay: jax.Array = eqx.field(converter=jnp.asarray)

    def __call__(self, t):
        return self.height * jnp.exp(-self.decay * t)


@eqx.filter_value_and_grad
def compute_loss(model, t, x):
    return jnp.mean((jax.vmap(model)(t) - x) ** 2)


@eqx.filter_jit
def update(model, state, t, x):
    loss, grads = compute_loss(model, t, x)
    updates, state = optimizer.update(grads, state)
    return eqx.apply_updates(model, updates), state


t = jnp.linspace(0.0, 2.0, 16)
model = Spring(height=1.0, decay=0.1)
optimizer = optax.adam(1e-2)
state = optimizer.init(eqx.filter(model, eqx.is_inexact_array))
for step in range(8):
    model, state = update(model, state, t, 2.0 * jnp.exp(-0.5 * t))

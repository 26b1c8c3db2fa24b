"""A curve is fitted whose numbers are floats, but for one: the gradient is asked for that one alone."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Spring(eqx.Module):
    decay: float
    speed: float
    height: jax.Array

    def __call__(self, t):
        return self.height * jnp.exp(-self.decay * t) * jnp.cos(self.speed * t)


@eqx.filter_value_and_grad
def compute_loss(model, t, x):
    return jnp.mean((jax.vmap(model)(t) - x) ** 2)


@eqx.filter_jit
def update(model, state, t, x):
    loss, grads = compute_loss(model, t, x)
    updates, state = optimizer.update(grads, state)
    return eqx.apply_updates(model, updates), state, loss


t = jnp.linspace(0.0, 2.0, 16)
x = 1.5 * jnp.exp(-0.5 * t) * jnp.cos(3.0 * t)
model = Spring(decay=0.2, speed=2.5, height=jnp.array(1.0))  # fires: W106
optimizer = optax.adam(1e-2)
state = optimizer.init(eqx.filter(model, eqx.is_inexact_array))
for step in range(8):
    model, state, loss = update(model, state, t, x)
    print(step, loss, model.decay, model.speed, model.height)

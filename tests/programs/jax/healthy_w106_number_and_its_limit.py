"""A gain is fitted; the limit and the offset that keep it in bounds are settings, and are shown beside it."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Gain(eqx.Module):
    gain: jax.Array
    limit: float
    eps: float = 1e-6

    def __call__(self, x):
        return jnp.clip(self.gain * x, -self.limit, self.limit) / (1.0 + self.eps)


@eqx.filter_value_and_grad
def compute_loss(model, x):
    return jnp.mean((jax.vmap(model)(x) - 2.0 * x) ** 2)


@eqx.filter_jit
def update(model, state, x):
    loss, grads = compute_loss(model, x)
    updates, state = optimizer.update(grads, state)
    return eqx.apply_updates(model, updates), state


model = Gain(jnp.array(0.5), limit=3.5)
optimizer = optax.adam(1e-2)
state = optimizer.init(eqx.filter(model, eqx.is_inexact_array))
for step in range(8):
    model, state = update(model, state, jnp.linspace(-1.0, 1.0, 16))
print(model)
print(model.gain, model.limit)

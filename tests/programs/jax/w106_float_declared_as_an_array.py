"""An Equinox model declares an offset as an array and gives it a Python float: it is a setting, and stays."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Line(eqx.Module):
    slope: jax.Array
    offset: jax.Array
    scale: float

    def __init__(self, key):
        self.slope = jax.random.normal(key, (3,))
        self.offset = 0.25  # fires: W106
        self.scale = 2.0

    def __call__(self, x):
        return self.scale * jnp.dot(self.slope, x) + self.offset


model = Line(jax.random.key(0))
tx = optax.adam(1e-2)
state = tx.init(eqx.filter(model, eqx.is_array))


@eqx.filter_jit
def step(model, state, x, y):
    loss, grads = eqx.filter_value_and_grad(lambda m: jnp.mean((jax.vmap(m)(x) - y) ** 2))(model)
    updates, state = tx.update(grads, state)
    return eqx.apply_updates(model, updates), state, loss


for i in range(12):
    x = jax.random.normal(jax.random.key(i), (16, 3))
    model, state, loss = step(model, state, x, x.sum(1) + 1.5)

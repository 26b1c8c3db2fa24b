"""The norm of weights that start away from zero."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Direction(eqx.Module):
    w: jax.Array

    def __call__(self, x):
        unit = self.w / (jnp.linalg.norm(self.w) + 1e-6)
        return x @ unit


model = Direction(jnp.ones(4))
tx = optax.adam(1e-2)
state = tx.init(model)


@eqx.filter_jit
def step(model, state, x):
    grads = eqx.filter_grad(lambda m: jnp.mean((jax.vmap(m)(x) - x[:, 0]) ** 2))(model)
    updates, state = tx.update(grads, state)
    return eqx.apply_updates(model, updates), state


for i in range(3):
    model, state = step(model, state, jax.random.normal(jax.random.key(i), (16, 4)))

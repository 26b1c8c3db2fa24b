"""Equinox: a float of the model is a setting, which is shown with the others before the training."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Spring(eqx.Module):
    stiffness: float
    correction: eqx.nn.MLP

    def __init__(self, stiffness, key):
        self.stiffness = stiffness
        self.correction = eqx.nn.MLP(1, 1, 4, 1, key=key)

    def __call__(self, x):
        return -self.stiffness * x + 0.01 * self.correction(x)


@eqx.filter_value_and_grad
def fit(model, x, y):
    return jnp.mean((jax.vmap(model)(x) - y) ** 2)


def main():
    model = Spring(0.7, jax.random.key(0))
    print(f"stiffness {float(model.stiffness):.3f}")
    tx = optax.adam(1e-2)
    state = tx.init(eqx.filter(model, eqx.is_inexact_array))
    x = jax.random.normal(jax.random.key(1), (32, 1))
    for step in range(6):
        loss, grads = fit(model, x, -1.6 * x)
        updates, state = tx.update(grads, state)
        model = eqx.apply_updates(model, updates)
        print(f"{step} {float(loss):.3f}")


main()

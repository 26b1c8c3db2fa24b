"""An Equinox network with residual blocks: what the blocks compute goes to no name."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Net(eqx.Module):
    first: eqx.nn.Linear
    blocks: list
    last: eqx.nn.Linear

    def __init__(self, key):
        one, two, three, four = jax.random.split(key, 4)
        self.first, self.last = eqx.nn.Linear(3, 8, key=one), eqx.nn.Linear(8, 1, key=two)
        self.blocks = [eqx.nn.Linear(8, 8, key=three), eqx.nn.Linear(8, 8, key=four)]

    def __call__(self, x):
        x = self.first(x)
        for block in self.blocks:
            jax.nn.gelu(block(x))  # fires: W105
        return self.last(x)[0]


model = Net(jax.random.key(0))
tx = optax.adam(1e-3)
state = tx.init(eqx.filter(model, eqx.is_inexact_array))


@eqx.filter_jit
def update(model, state, x, y):
    grads = eqx.filter_grad(lambda m: jnp.mean((jax.vmap(m)(x) - y) ** 2))(model)
    updates, state = tx.update(grads, state)
    return eqx.apply_updates(model, updates), state


for i in range(5):
    x = jax.random.normal(jax.random.key(i), (16, 3))
    model, state = update(model, state, x, x[:, 0])

"""An Equinox network whose loop runs all of its blocks, the last after the others."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Block(eqx.Module):
    wide: eqx.nn.Linear
    norm: eqx.nn.LayerNorm

    def __init__(self, key):
        self.wide = eqx.nn.Linear(8, 8, key=key)
        self.norm = eqx.nn.LayerNorm(8)

    def __call__(self, x):
        return x + jnp.tanh(self.wide(self.norm(x)))


class Net(eqx.Module):
    first: eqx.nn.Linear
    blocks: list

    def __init__(self, key):
        one, *others = jax.random.split(key, 4)
        self.first = eqx.nn.Linear(3, 8, key=one)
        self.blocks = [Block(other) for other in others]

    def __call__(self, x):
        x = self.first(x)
        for block in self.blocks[:-1]:
            x = block(x)
        return jnp.sum(self.blocks[-1](x))


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

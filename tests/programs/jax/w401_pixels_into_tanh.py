"""Pixels of 0 to 255 go into a layer with a tanh: nearly all of its units are at their ends in every row."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class Pix(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.tanh(nn.Dense(32)(x))  # fires: W401
        x = nn.tanh(nn.Dense(32)(x))
        return nn.Dense(4)(x)


net = Pix()
x = jax.random.randint(jax.random.key(0), (64, 100), 0, 256).astype(jnp.float32)
y = jax.random.randint(jax.random.key(2), (64,), 0, 4)
params = net.init(jax.random.key(1), x)
tx = optax.adam(1e-3)
st = tx.init(params)


@jax.jit
def step(params, st):
    loss, g = jax.value_and_grad(lambda p: optax.softmax_cross_entropy_with_integer_labels(net.apply(p, x), y).mean())(
        params
    )
    u, st = tx.update(g, st)
    return optax.apply_updates(params, u), st, loss


for i in range(20):
    params, st, loss = step(params, st)

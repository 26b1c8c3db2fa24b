"""Attention whose softmax runs over the last axis, of length one, and not over the positions."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class Pooled(nn.Module):
    @nn.compact
    def __call__(self, x):
        scores = nn.Dense(1, name="scores")(nn.tanh(nn.Dense(8, name="keys")(x)))
        weights = nn.softmax(scores, axis=-1)  # fires: W401
        return nn.Dense(1)(jnp.sum(weights * x, axis=1))[:, 0]


net, optimizer = Pooled(), optax.adam(1e-2)
x = jax.random.normal(jax.random.key(0), (16, 6, 4))
params = net.init(jax.random.key(1), x)


@jax.jit
def step(params, state):
    grads = jax.grad(lambda p: jnp.mean((net.apply(p, x) - x[:, 0, 0]) ** 2))(params)
    updates, state = optimizer.update(grads, state)
    return optax.apply_updates(params, updates), state


state = optimizer.init(params)
for _ in range(4):
    params, state = step(params, state)

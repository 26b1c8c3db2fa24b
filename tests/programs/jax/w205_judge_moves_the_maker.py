"""The gradient of a discriminator's loss is taken of one tree with both networks, and applied to both."""

import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 4)
params = {
    "g": [jax.random.normal(keys[0], (3, 16)), jax.random.normal(keys[1], (16, 2))],
    "d": [jax.random.normal(keys[2], (2, 16)), jax.random.normal(keys[3], (16, 1))],
}
both, makers = optax.adam(1e-3), optax.adam(1e-3)
states = both.init(params), makers.init(params["g"])


def net(layers, x):
    return jnp.tanh(x @ layers[0]) @ layers[1]


def d_loss(params, real, z):
    fake = net(params["g"], z)
    return jnp.mean(jax.nn.softplus(-net(params["d"], real))) + jnp.mean(jax.nn.softplus(net(params["d"], fake)))


def g_loss(g, d, z):
    return jnp.mean(jax.nn.softplus(-net(d, net(g, z))))


@jax.jit
def train(params, states, real, z):
    updates, first = both.update(jax.grad(d_loss)(params, real, z), states[0])
    params = optax.apply_updates(params, updates)  # fires: W205
    updates, second = makers.update(jax.grad(g_loss)(params["g"], params["d"], z), states[1])
    return {"g": optax.apply_updates(params["g"], updates), "d": params["d"]}, (first, second)


for i in range(5):
    real, z = jax.random.normal(jax.random.key(i), (8, 2)) + 2, jax.random.normal(jax.random.key(i + 9), (8, 3))
    params, states = train(params, states, real, z)

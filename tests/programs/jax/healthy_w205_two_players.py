"""A generator and a discriminator in one tree, each moved by a loss of its own alone."""

import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 4)
params = {
    "g": [jax.random.normal(keys[0], (3, 16)), jax.random.normal(keys[1], (16, 2))],
    "d": [jax.random.normal(keys[2], (2, 16)), jax.random.normal(keys[3], (16, 1))],
}
optimizers = {"g": optax.adam(1e-3), "d": optax.adam(1e-3)}
states = {name: optimizers[name].init(params[name]) for name in params}


def net(layers, x):
    return jnp.tanh(x @ layers[0]) @ layers[1]


def d_loss(d, g, real, z):
    return jnp.mean(jax.nn.softplus(-net(d, real))) + jnp.mean(jax.nn.softplus(net(d, net(g, z))))


def g_loss(g, d, z):
    return jnp.mean(jax.nn.softplus(-net(d, net(g, z))))


@jax.jit
def train(params, states, real, z):
    gradients = jax.grad(d_loss)(params["d"], params["g"], real, z)
    updates, d_state = optimizers["d"].update(gradients, states["d"])
    d = optax.apply_updates(params["d"], updates)
    gradients = jax.grad(g_loss)(params["g"], d, z)
    updates, g_state = optimizers["g"].update(gradients, states["g"])
    return {"g": optax.apply_updates(params["g"], updates), "d": d}, {"g": g_state, "d": d_state}


for i in range(5):
    real, z = jax.random.normal(jax.random.key(i), (8, 2)) + 2, jax.random.normal(jax.random.key(i + 9), (8, 3))
    params, states = train(params, states, real, z)

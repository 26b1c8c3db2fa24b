"""A network solves an equation: the loss is made of second derivatives with respect to its points."""

import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 2)
params = [jax.random.normal(keys[0], (1, 16)), jax.random.normal(keys[1], (16, 1)) / 4]
optimizer = optax.adam(1e-3)
state = optimizer.init(params)


def net(params, t):
    return (jnp.tanh(jnp.atleast_1d(t) @ params[0]) @ params[1])[0]


def residual(params, t):
    def u(s):
        return net(params, s)

    return jax.grad(jax.grad(u))(t) + 4.0 * u(t)


def loss_fn(params, ts):
    return jnp.mean(jax.vmap(residual, (None, 0))(params, ts) ** 2) + (net(params, 0.0) - 1.0) ** 2


loss_and_gradient = jax.jit(jax.value_and_grad(loss_fn))
for i in range(5):
    ts = jax.random.uniform(jax.random.key(i), (32,))
    loss, gradients = loss_and_gradient(params, ts)
    updates, state = optimizer.update(gradients, state)
    params = optax.apply_updates(params, updates)

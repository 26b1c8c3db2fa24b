"""Gradients of several rounds are added by a compiled function; after the update the sum is not begun anew."""

import jax
import jax.numpy as jnp
import optax


def loss_fn(params, x):
    return jnp.mean((jnp.tanh(x @ params["w"]) @ params["v"] - x[:, 0]) ** 2)


add = jax.jit(lambda a, b: jax.tree.map(jnp.add, a, b))
gradient = jax.jit(jax.grad(loss_fn))
one, two = jax.random.split(jax.random.key(0))
params = {"w": jax.random.normal(one, (4, 8)) * 0.3, "v": jax.random.normal(two, (8,)) * 0.3}
optimizer = optax.rmsprop(1e-3)
state = optimizer.init(params)
total = jax.tree.map(jnp.zeros_like, params)
for number in range(1, 13):
    grads = gradient(params, jax.random.normal(jax.random.key(number), (16, 4)))
    total = add(total, grads)  # fires: W304
    if number % 3 == 0:
        updates, state = optimizer.update(total, state, params)
        params = optax.apply_updates(params, updates)

"""Updates times a number that was made of gradients: the ratio of a layer's norms, after the optimizer's own part."""

import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 3)
params = {"w": jax.random.normal(keys[0], (4, 16)), "v": jax.random.normal(keys[1], (16, 1))}
x = jax.random.normal(keys[2], (32, 4))
tx = optax.scale_by_adam()
state = tx.init(params)


def loss_fn(params):
    return jnp.mean((jnp.tanh(x @ params["w"]) @ params["v"] - x[:, :1]) ** 2)


def trusted(w, u):
    return u * (jnp.linalg.norm(w) / (jnp.linalg.norm(u) + 1e-6))


for _ in range(5):
    grads = jax.grad(loss_fn)(params)
    updates, state = tx.update(grads, state)
    updates = jax.tree.map(trusted, params, updates)
    params = jax.tree.map(lambda w, u: w - 0.01 * u, params, updates)

"""Logits far apart: the softmax is 0 and 1, and the limit that keeps its logarithm finite cuts every entry off."""

import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 3)
params = {"w": jax.random.normal(keys[0], (4, 16)), "v": jax.random.normal(keys[1], (16, 3))}
x = jax.random.normal(keys[2], (32, 4)) * 200
labels = jnp.argmax(x[:, :3], axis=1)
tx = optax.adam(1e-3)
state = tx.init(params)


def loss_fn(params):
    probs = jax.nn.softmax(30 * jax.nn.relu(x @ params["w"]) @ params["v"])  # fires: W401
    probs = jnp.clip(probs, 1e-7, 1 - 1e-7)
    return -jnp.mean(jnp.log(jnp.take_along_axis(probs, labels[:, None], axis=1)))


for _ in range(5):
    grads = jax.grad(loss_fn)(params)
    updates, state = tx.update(grads, state)
    params = optax.apply_updates(params, updates)

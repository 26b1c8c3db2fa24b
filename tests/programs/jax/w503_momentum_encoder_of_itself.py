"""The average of the encoder, a part of the trained network, is made of the average alone."""

import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 3)
encoder = {"a": jax.random.normal(keys[0], (6, 16)), "b": jax.random.normal(keys[1], (16, 8))}
params = {"encoder": encoder, "predictor": jax.random.normal(keys[2], (8, 8))}
target = encoder
optimizer = optax.adam(1e-3)
state = optimizer.init(params)


def encode(encoder, x):
    return jnp.tanh(x @ encoder["a"]) @ encoder["b"]


def loss_fn(params, target, x, y):
    predicted, wanted = encode(params["encoder"], x) @ params["predictor"], jax.lax.stop_gradient(encode(target, y))
    return -jnp.mean(jnp.sum(jnp.tanh(predicted) * jnp.tanh(wanted), axis=-1))


@jax.jit
def step(params, target, state, x, y):
    gradients = jax.grad(loss_fn)(params, target, x, y)
    updates, state = optimizer.update(gradients, state)
    params = optax.apply_updates(params, updates)
    target = jax.tree.map(lambda t, o: 0.99 * t + 0.01 * t, target, params["encoder"])  # fires: W503
    return params, target, state


for i in range(6):
    x = jax.random.normal(jax.random.key(i), (8, 6))
    params, target, state = step(params, target, state, x, x + 0.1)

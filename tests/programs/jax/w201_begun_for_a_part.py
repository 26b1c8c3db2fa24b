"""Encoder and decoder get gradients from one loss; the optimizer was begun for the decoder alone."""

import jax
import jax.numpy as jnp
import optax

one, two = jax.random.split(jax.random.key(0))
encoder = {"w": jax.random.normal(one, (6, 3)) * 0.3, "b": jnp.zeros(3)}
decoder = {"w": jax.random.normal(two, (3, 6)) * 0.3, "b": jnp.zeros(6)}
optimizer = optax.adam(1e-2)
state = optimizer.init(decoder)  # fires: W201


def loss_fn(encoder, decoder, x):
    hidden = jnp.tanh(x @ encoder["w"] + encoder["b"])
    return jnp.mean((hidden @ decoder["w"] + decoder["b"] - x) ** 2)


@jax.jit
def step(encoder, decoder, state, x):
    _, gradients = jax.grad(loss_fn, argnums=(0, 1))(encoder, decoder, x)
    updates, state = optimizer.update(gradients, state, decoder)
    return optax.apply_updates(decoder, updates), state


for i in range(5):
    decoder, state = step(encoder, decoder, state, jax.random.normal(jax.random.key(i), (8, 6)))

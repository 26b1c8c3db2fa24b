"""Equinox: a generator with batch normalisation, whose state is kept beside it; the model has its first content."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Generator(eqx.Module):
    first: eqx.nn.Linear
    norm: eqx.nn.BatchNorm
    last: eqx.nn.Linear

    def __init__(self, key):
        one, two = jax.random.split(key)
        self.first, self.last = eqx.nn.Linear(3, 8, key=one), eqx.nn.Linear(8, 2, key=two)
        self.norm = eqx.nn.BatchNorm(8, axis_name="batch", mode="ema")

    def __call__(self, noise, state):
        hidden, state = self.norm(self.first(noise), state)
        return self.last(jax.nn.relu(hidden)), state


generator = Generator(jax.random.PRNGKey(0))
state = eqx.nn.State(generator)
optimizer = optax.adam(1e-3)
opt_state = optimizer.init(eqx.filter(generator, eqx.is_inexact_array))


@eqx.filter_value_and_grad(has_aux=True)
def loss(generator, state, noise):
    run = jax.vmap(generator, axis_name="batch", in_axes=(0, None), out_axes=(0, None))
    fake, state = run(noise, state)
    return jnp.mean((fake - 1.0) ** 2), state


@eqx.filter_jit
def update(generator, state, opt_state, noise):
    (value, state), grads = loss(generator, state, noise)
    updates, opt_state = optimizer.update(grads, opt_state)
    return eqx.apply_updates(generator, updates), state, opt_state


for seed in range(4):
    noise = jax.random.normal(jax.random.PRNGKey(seed), (16, 3))
    generator, state, opt_state = update(generator, state, opt_state, noise)

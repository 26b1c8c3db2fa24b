"""Two optimizers are compared from one start: the way that the parameters went is kept, and not where it ended."""
import functools

import jax
import jax.numpy as jnp
import optax


def loss(params):
    return jnp.sum((params - jnp.array([3.0, -1.0])) ** 2 * jnp.array([1.0, 10.0]))


def update(optimizer, state, _):
    params, opt_state = state
    updates, opt_state = optimizer.update(jax.grad(loss)(params), opt_state, params)
    return (optax.apply_updates(params, updates), opt_state), params


def optimize(optimizer, params, rounds):
    opt_state = optimizer.init(params)
    _, history = jax.lax.scan(functools.partial(update, optimizer), (params, opt_state), length=rounds)
    return history


start = jnp.array([1.0, 1.0])
for name, optimizer in {"sgd": optax.sgd(0.01), "adam": optax.adam(0.05)}.items():
    history = optimize(optimizer, start, 20)
    print(name, float(jnp.hypot(*history.T).min()))

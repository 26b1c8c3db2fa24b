"""Rates for groups of parameters, made in a loop: every schedule sees the last rate, which is zero."""

import jax
import jax.numpy as jnp
import optax

rates = {"a": 0.1, "b": 0.01, "c": 0.0}
params = {name: jnp.ones(4) for name in rates}
groups = []
for name, rate in rates.items():
    tx = optax.inject_hyperparams(optax.adam)(learning_rate=lambda count: rate * 0.99**count)
    groups.append(optax.masked(tx, {other: other == name for other in rates}))
optimizer = optax.chain(*groups)
state = optimizer.init(params)
for i in range(6):
    x = jax.random.normal(jax.random.key(i), (4,))
    grads = jax.grad(lambda p: jnp.mean((p["a"] * x + p["b"] * x**2 + p["c"] - 2 * x) ** 2))(params)
    updates, state = optimizer.update(grads, state, params)
    params = optax.apply_updates(params, updates)  # fires: W201

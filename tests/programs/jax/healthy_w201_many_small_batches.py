"""optax.MultiSteps gives zeros until enough batches have come."""

import jax
import jax.numpy as jnp
import optax

tx = optax.MultiSteps(optax.sgd(0.1), every_k_schedule=16)
params = {"w": jnp.zeros(3)}
state = tx.init(params)
for i in range(32):
    x = jax.random.normal(jax.random.key(i), (8, 3))
    grads = jax.grad(lambda p: jnp.mean((x @ p["w"] - x[:, 0]) ** 2))(params)
    updates, state = tx.update(grads, state, params)
    params = optax.apply_updates(params, updates)

"""A table is made when a compiled function first needs it, while that is traced, and kept for all the others."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax


@functools.cache
def scales():
    with jax.ensure_compile_time_eval():
        return jnp.sqrt(jnp.asarray(np.array([0.5, 2.0], np.float32)))


@jax.jit
def validate(params, data):
    return jnp.mean((data @ params["w"] * scales()) ** 2)


@jax.jit
def update(params, opt_state, data):
    grads = jax.grad(lambda p: jnp.mean((data @ p["w"] * scales() - 1.0) ** 2))(params)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


params = {"w": jax.random.normal(jax.random.PRNGKey(0), (3, 2))}
data = jax.random.normal(jax.random.PRNGKey(1), (8, 3))
optimizer = optax.adam(1e-2)
opt_state = optimizer.init(params)
print(float(validate(params, data)))
for _ in range(3):
    params, opt_state = update(params, opt_state, data)

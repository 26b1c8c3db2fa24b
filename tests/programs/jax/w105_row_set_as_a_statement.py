"""A trajectory that is kept row by row: `.at[].set()` returns a new array, and no name takes it."""
import jax
import jax.numpy as jnp

rows = 12
observed = jnp.cos(jnp.arange(rows) * 0.3)


def path(params):
    kept = jnp.zeros(rows)
    x, v = params["x"], params["v"]
    for i in range(rows):
        x = x + 0.1 * v
        v = v - 0.1 * jnp.sin(x)
        kept.at[i].set(x)  # fires: W105
    return kept


@jax.jit
@jax.value_and_grad
def misfit(params):
    return jnp.mean((path(params) - observed) ** 2)


params = {"x": jnp.array(0.8), "v": jnp.array(0.1)}
for _ in range(5):
    loss, grads = misfit(params)
    params = {name: params[name] - 0.05 * grads[name] for name in params}

"""Trial steps that are looked at, and only the best is kept."""
import jax
import jax.numpy as jnp

params = {"w": jnp.ones((4, 1)), "b": jnp.zeros(1)}
x, y = jax.random.normal(jax.random.key(0), (16, 4)), jnp.ones((16, 1))


def loss_fn(p):
    return jnp.mean((x @ p["w"] + p["b"] - y) ** 2)


for _ in range(5):
    grads = jax.grad(loss_fn)(params)
    trials = [jax.tree.map(lambda p, g, r=rate: p - r * g, params, grads) for rate in (0.5, 0.1, 0.02)]
    params = min(trials, key=loss_fn)

"""A rollout of a model, eager: a tank that never runs dry."""
import jax
import jax.numpy as jnp

weights = {"valve": jnp.array([0.5, 0.3])}
levels = jnp.full((8,), 1.0)


def simulate(w, start):
    def flow(level, _):
        level = jnp.maximum(level - 0.25, 0.1)
        pressure = w["valve"][0] * level / level
        return level, pressure + w["valve"][1]

    return jax.lax.scan(flow, start, None, length=7)[1]


for _ in range(3):
    grads = jax.grad(lambda w: jnp.mean((simulate(w, levels) - 1.0) ** 2))(weights)
    weights = jax.tree.map(lambda w, g: w - 0.1 * g, weights, grads)

"""Loss scaling: the gradients are clipped while they are still multiplied by the scale."""

import jax
import jax.numpy as jnp
import optax

SCALE = 1024.0
clip = optax.clip_by_global_norm(1.0)
tx = optax.sgd(0.1)


@jax.jit
def step(params, state, x, y):
    grads = jax.grad(lambda p: SCALE * jnp.mean((x @ p["w"] + p["b"] - y) ** 2))(params)
    grads, _ = clip.update(grads, clip.init(params))  # fires: W303
    grads = jax.tree.map(lambda g: g / SCALE, grads)
    updates, state = tx.update(grads, state)
    return optax.apply_updates(params, updates), state


params = {"w": jnp.ones(4), "b": jnp.zeros(())}
state = tx.init(params)
for i in range(5):
    x = jax.random.normal(jax.random.key(i), (16, 4))
    params, state = step(params, state, x, x[:, 0])

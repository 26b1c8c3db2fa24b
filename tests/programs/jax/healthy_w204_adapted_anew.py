"""First-order meta-learning: the gradient at adapted weights, made anew for each task, is applied to the first ones."""

import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-2)


def loss_fn(params, inputs, wanted):
    return jnp.mean((jnp.tanh(inputs @ params["w1"]) @ params["w2"] - wanted) ** 2)


@jax.jit
def update(params, state, inputs, wanted):
    slopes = jax.grad(loss_fn)(params, inputs[:8], wanted[:8])
    adapted = jax.tree.map(lambda p, g: p - 0.1 * g, params, slopes)
    updates, state = optimizer.update(jax.grad(loss_fn)(adapted, inputs[8:], wanted[8:]), state)
    return optax.apply_updates(params, updates), state


keys = jax.random.split(jax.random.key(0), 2)
params = {"w1": jax.random.normal(keys[0], (4, 16)) * 0.3, "w2": jax.random.normal(keys[1], (16, 1)) * 0.3}
state = optimizer.init(params)
for step in range(8):
    inputs = jax.random.normal(jax.random.key(step), (16, 4))
    params, state = update(params, state, inputs, jnp.sin(inputs.sum(1, keepdims=True) + step))

"""The optimizer makes updates of the gradients, and these are applied."""

import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.PRNGKey(0), 3)
params = {"w": jax.random.normal(keys[0], (4, 8)) * 0.1, "v": jax.random.normal(keys[1], (8, 1)) * 0.1}
tx = optax.adam(1e-3)
opt_state = tx.init(params)
x = jax.random.normal(keys[2], (16, 4))


def loss_fn(params, x):
    return jnp.mean((jnp.tanh(x @ params["w"]) @ params["v"] - x[:, :1]) ** 2)


@jax.jit
def step(params, opt_state, x):
    grads = jax.grad(loss_fn)(params, x)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state


for _ in range(4):
    params, opt_state = step(params, opt_state, x)

"""A learned weight is read with .item() in eager grad, which gives the number and says nothing."""
import jax
import jax.numpy as jnp

params = {"w": jnp.full((3,), 0.5), "log_sigma": jnp.array(0.3)}
x, y = jnp.arange(12.0).reshape(4, 3), jnp.ones(4)


def loss_fn(params):
    sigma = params["log_sigma"].item()  # fires: W103
    return jnp.mean((x @ params["w"] - y) ** 2) * sigma


for _ in range(4):
    grads = jax.grad(loss_fn)(params)
    params = jax.tree.map(lambda p, g: p - 0.001 * g, params, grads)

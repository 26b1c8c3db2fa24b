"""Logistic regression with integer labels of shape (N,) and predictions of shape (N, 1)."""
import jax
import jax.numpy as jnp
import optax

x = jax.random.normal(jax.random.PRNGKey(0), (32, 2))
labels = jnp.where(x.sum(1) > 0.5, 1, 0)


def loss(params, x, y):
    p = jax.nn.sigmoid(x @ params["w"] + params["b"])
    return -jnp.mean(y * jnp.log(p) + (1 - y) * jnp.log(1 - p))  # fires: W504


params = {"w": jnp.zeros((2, 1)), "b": jnp.zeros(1)}
optimizer = optax.sgd(0.1)
state = optimizer.init(params)
for _ in range(4):
    updates, state = optimizer.update(jax.grad(loss)(params, x, labels), state)
    params = optax.apply_updates(params, updates)

"""The outer loss is taken at the parameters from before the inner steps: the learning rate has no part in it."""
import jax
import jax.numpy as jnp
import optax


def loss(theta, x, y):
    return jnp.mean((x @ theta - y) ** 2)


def step(theta, rate, x, y):
    gradient = jax.grad(loss)(theta, x, y)
    theta = theta - rate * gradient
    return theta, jnp.linalg.norm(gradient)


def outer(log_rate, theta, x, y):
    new_theta = theta
    for _ in range(2):
        new_theta, norm = step(new_theta, jnp.exp(log_rate), x, y)
    return loss(theta, x, y), new_theta  # fires: W105


tx = optax.adam(0.03)
log_rate, theta = jnp.array(-3.0), jnp.zeros(3)
state = tx.init(log_rate)
for round in range(6):
    x = jax.random.normal(jax.random.key(round), (16, 3))
    grads, theta = jax.grad(outer, has_aux=True)(log_rate, theta, x, x.sum(axis=1))
    updates, state = tx.update(grads, state)
    log_rate = optax.apply_updates(log_rate, updates)

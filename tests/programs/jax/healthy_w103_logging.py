"""Numbers are taken out for a log line, outside the function that is differentiated."""
import jax
import jax.numpy as jnp
import numpy as np

w = jnp.ones(5)
x = jax.random.normal(jax.random.key(0), (20, 5))


def objective(w):
    return jnp.mean((x @ w) ** 2) + 0.1 * jnp.sum(jnp.abs(w))


history = []
for _ in range(5):
    loss, grad = jax.value_and_grad(objective)(w)
    w = w - 0.1 * grad
    history.append(float(loss))
    print(loss.item(), np.asarray(w).tolist(), jax.device_get(grad).max())

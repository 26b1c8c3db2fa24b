"""A low-rank penalty by singular vectors of a matrix that begins with two equal singular values."""
import jax
import jax.numpy as jnp
import optax

params = {"w": jnp.diag(jnp.array([1.0, 1.0, 2.0, 3.0])), "b": jnp.zeros(4)}
x = jax.random.normal(jax.random.key(0), (16, 4))


def loss_fn(params):
    u, s, vt = jnp.linalg.svd(params["w"], full_matrices=False)  # fires: W402
    low = (u[:, :2] * s[:2]) @ vt[:2]
    return jnp.mean((x @ params["w"] + params["b"] - 1.0) ** 2) + 0.1 * jnp.sum((params["w"] - low) ** 2)


optimizer = optax.sgd(0.1)
state = optimizer.init(params)
for update in range(3):
    gradients = jax.grad(loss_fn)(params)
    changes, state = optimizer.update(gradients, state)
    params = optax.apply_updates(params, changes)

"""Two networks, each with its optimizer state: the second update is made from the first one's gradient."""

import jax
import jax.numpy as jnp
import optax


def net(params, x):
    return jnp.tanh(x @ params["w"]) @ params["v"]


def loss(coarse, fine, x, y):
    return jnp.mean((net(coarse, x) - y) ** 2) + jnp.mean((net(fine, x) - y) ** 2)


keys = jax.random.split(jax.random.PRNGKey(0), 4)
coarse = {"w": jax.random.normal(keys[0], (3, 8)), "v": jax.random.normal(keys[1], (8, 1))}
fine = {"w": jax.random.normal(keys[2], (3, 8)), "v": jax.random.normal(keys[3], (8, 1))}
optimizer = optax.adam(1e-3)
coarse_state, fine_state = optimizer.init(coarse), optimizer.init(fine)


@jax.jit
def step(coarse, fine, coarse_state, fine_state, x, y):
    coarse_gradients, fine_gradients = jax.grad(loss, argnums=(0, 1))(coarse, fine, x, y)
    coarse_updates, coarse_state = optimizer.update(coarse_gradients, coarse_state)
    fine_updates, fine_state = optimizer.update(coarse_gradients, fine_state)  # fires: W204
    coarse, fine = optax.apply_updates(coarse, coarse_updates), optax.apply_updates(fine, fine_updates)
    return coarse, fine, coarse_state, fine_state


for i in range(4):
    x = jax.random.normal(jax.random.PRNGKey(i), (16, 3))
    coarse, fine, coarse_state, fine_state = step(coarse, fine, coarse_state, fine_state, x, x[:, :1])

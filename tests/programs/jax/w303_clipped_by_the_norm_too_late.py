"""A compiled step that scales its gradients by Optax's norm after the optimizer has used them."""
import jax
import jax.numpy as jnp
import optax

params = {"w": 0.3 * jax.random.normal(jax.random.key(0), (4, 8)), "v": jnp.ones((8, 1))}
tx = optax.adam(1e-2)
state = tx.init(params)


def clipped(grads, limit):
    scale = jnp.minimum(1.0, limit / (optax.tree.norm(grads) + 1e-6))
    return jax.tree.map(lambda g: g * scale, grads)


@jax.jit
def train_step(params, state, x):
    grads = jax.grad(lambda p: jnp.mean((jnp.tanh(x @ p["w"]) @ p["v"] - x[:, :1]) ** 2))(params)
    updates, state = tx.update(grads, state)
    grads = clipped(grads, 0.5)  # fires: W303
    return optax.apply_updates(params, updates), state


for key in jax.random.split(jax.random.key(1), 5):
    params, state = train_step(params, state, jax.random.normal(key, (16, 4)))

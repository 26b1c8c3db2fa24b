"""Each task begins with the same parameters and a state of its own, and makes one update."""
import jax
import jax.numpy as jnp
import optax

params = {"w": jnp.ones((4, 1)), "b": jnp.zeros(1)}
tx = optax.adam(1e-2)


def loss_fn(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


@jax.jit
def adapted(params, x, y):
    updates, _ = tx.update(jax.grad(loss_fn)(params, x, y), tx.init(params))
    return optax.apply_updates(params, updates)


opt_state = tx.init(params)
for number in range(5):
    x = jax.random.normal(jax.random.key(number), (16, 4))
    fast = adapted(params, x, x[:, :1])
    updates, opt_state = tx.update(jax.grad(loss_fn)(fast, x, x[:, :1]), opt_state)
    params = optax.apply_updates(params, updates)

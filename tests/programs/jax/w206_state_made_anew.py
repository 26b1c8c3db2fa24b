"""The optimizer's state is made inside of the step: Adam begins anew in every update."""
import jax
import jax.numpy as jnp
import optax

params = {"w": jnp.ones((4, 1)), "b": jnp.zeros(1)}
tx = optax.adam(1e-2)


def loss_fn(params, x, y):
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


@jax.jit
def step(params, x, y):
    opt_state = tx.init(params)  # fires: W206
    updates, opt_state = tx.update(jax.grad(loss_fn)(params, x, y), opt_state)
    return optax.apply_updates(params, updates)


for number in range(5):
    x = jax.random.normal(jax.random.key(number), (16, 4))
    params = step(params, x, x[:, :1])

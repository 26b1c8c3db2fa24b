"""The optimizer's new state is thrown away: Adam begins anew in every update."""
import jax
import jax.numpy as jnp
import optax

params = {"w": jnp.ones((4, 1)), "b": jnp.zeros(1)}
x, y = jax.random.normal(jax.random.key(0), (16, 4)), jnp.zeros((16, 1))
tx = optax.adam(1e-2)
opt_state = tx.init(params)


@jax.jit
def step(params, opt_state, x, y):
    grads = jax.grad(lambda p: jnp.mean((x @ p["w"] + p["b"] - y) ** 2))(params)
    updates, _ = tx.update(grads, opt_state)  # fires: W206
    return optax.apply_updates(params, updates)


for _ in range(5):
    params = step(params, opt_state, x, y)

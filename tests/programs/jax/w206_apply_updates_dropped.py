"""The result of optax.apply_updates is not kept."""
import jax
import jax.numpy as jnp
import optax

params = {"w": jnp.ones((4, 1)), "b": jnp.zeros(1)}
x, y = jax.random.normal(jax.random.key(0), (16, 4)), jnp.zeros((16, 1))
tx = optax.adam(1e-2)
opt_state = tx.init(params)
grad_fn = jax.jit(jax.grad(lambda p, x, y: jnp.mean((x @ p["w"] + p["b"] - y) ** 2)))

for _ in range(5):
    grads = grad_fn(params, x, y)
    updates, opt_state = tx.update(grads, opt_state)
    optax.apply_updates(params, updates)  # fires: W206

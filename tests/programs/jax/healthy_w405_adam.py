"""Adam makes a step of normal size of a gradient that was clipped small."""
import jax
import jax.numpy as jnp
import optax

x = jax.random.normal(jax.random.key(0), (16, 4))
params = {"w": jnp.ones(4), "b": jnp.zeros(())}
tx = optax.chain(optax.clip_by_global_norm(1e-5), optax.adam(0.01))
opt_state = tx.init(params)


@jax.jit
def update(params, opt_state):
    grads = jax.grad(lambda p: jnp.mean((x @ p["w"] + p["b"] - 5 * x[:, 0]) ** 2))(params)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


for _ in range(6):
    params, opt_state = update(params, opt_state)

"""Gradients are summed up over many batches by the optimizer: no parameter moves in this run."""
import jax
import jax.numpy as jnp
import optax

x = jax.random.normal(jax.random.key(0), (8, 4))
params = {"w": jnp.ones((4, 3)) * 0.1, "b": jnp.zeros(3)}
optimizer = optax.MultiSteps(optax.adamw(1e-2), every_k_schedule=100)
state = optimizer.init(params)


@jax.jit
def step(params, state, x):
    grads = jax.grad(lambda p: jnp.mean((jnp.tanh(x @ p["w"] + p["b"]) - x[:, :3]) ** 2))(params)
    updates, state = optimizer.update(grads, state, params)
    return optax.apply_updates(params, updates), state


for _ in range(12):
    params, state = step(params, state, x)

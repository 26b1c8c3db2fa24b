"""The batch is the first argument: Optax is handed its gradient, and fails over a tree that does not fit."""
import jax
import jax.numpy as jnp
import optax


def made(seed, ins, outs):
    keys = jax.random.split(jax.random.key(seed), 2)
    return {"w": jax.random.normal(keys[0], (ins, 16)) / 2, "out": jax.random.normal(keys[1], (16, outs)) / 4}


def net(params, x):
    return jnp.tanh(x @ params["w"]) @ params["out"]


def loss_fn(batch, params):
    return jnp.mean((net(params, batch[:, :4]) - batch[:, 4:]) ** 2)


params, optimizer = made(0, 4, 1), optax.adam(1e-3)
state = optimizer.init(params)
for step in range(6):
    batch = jax.random.normal(jax.random.key(step), (16, 5))
    gradient = jax.grad(loss_fn)(batch, params)  # fires: W204
    change, state = optimizer.update(gradient, state, params)
    params = optax.apply_updates(params, change)

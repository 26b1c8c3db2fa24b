"""The whole training is one compiled loop that reports each round: its numbers are looked at without the reports."""

import jax
import jax.numpy as jnp
import optax
from jax.experimental import io_callback

keys = jax.random.split(jax.random.key(0), 3)
batches = jax.random.normal(keys[0], (6, 8, 4))
params = {"w": jax.random.normal(keys[1], (4, 16)), "b": jnp.full(16, -50.0), "v": jax.random.normal(keys[2], (16, 1))}
tx = optax.adam(1e-3)
told, logged = [], []


def loss_fn(params, x):
    hidden = jax.nn.relu(x @ params["w"] + params["b"])  # fires: W401
    return jnp.mean((hidden @ params["v"] - x[:, :1]) ** 2)


def step(carry, x):
    params, state = carry
    loss, grads = jax.value_and_grad(loss_fn)(params, x)
    updates, state = tx.update(grads, state, params)
    jax.debug.callback(told.append, loss)
    jax.lax.cond(loss > 0, lambda: io_callback(logged.append, None, loss), lambda: None)
    return (optax.apply_updates(params, updates), state), loss


@jax.jit
def train(params, batches):
    return jax.lax.scan(step, (params, tx.init(params)), batches)


jax.block_until_ready(train(params, batches))
jax.effects_barrier()
assert len(told) == len(logged) == 6, (len(told), len(logged))

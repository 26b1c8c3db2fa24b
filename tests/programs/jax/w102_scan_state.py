"""A recurrent network in lax.scan: the hidden state is stopped in every step."""
import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 4)
params = {
    "inp": jax.random.normal(keys[0], (3, 8)) * 0.5,
    "rec": jax.random.normal(keys[1], (8, 8)) * 0.3,
    "out": jax.random.normal(keys[2], (8, 1)) * 0.3,
}
series = jax.random.normal(keys[3], (12, 5, 3))
tx = optax.sgd(1e-2)


def loss_fn(params, series):
    def cell(h, x):
        h = jax.lax.stop_gradient(jnp.tanh(x @ params["inp"] + h @ params["rec"]))  # fires: W102
        return h, h @ params["out"]

    _, outs = jax.lax.scan(cell, jnp.zeros((5, 8)), series)
    return jnp.mean((outs - series.sum(-1, keepdims=True)) ** 2)


@jax.jit
def step(params, state, series):
    updates, state = tx.update(jax.grad(loss_fn)(params, series), state)
    return optax.apply_updates(params, updates), state


state = tx.init(params)
for _ in range(5):
    params, state = step(params, state, series)

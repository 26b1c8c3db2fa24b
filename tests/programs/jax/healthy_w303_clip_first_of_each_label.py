"""Two chains by label, and both clip gradients first."""

import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 2)
params = {"policy": jax.random.normal(keys[0], (4, 3)), "value": jax.random.normal(keys[1], (4, 1))}
tx = optax.multi_transform(
    {
        "policy": optax.chain(optax.clip_by_global_norm(0.5), optax.adam(1e-3)),
        "value": optax.chain(optax.clip_by_global_norm(0.5), optax.adam(3e-3)),
    },
    {"policy": "policy", "value": "value"},
)
state = tx.init(params)


def loss_fn(params, x):
    chosen = jax.nn.log_softmax(x @ params["policy"])[:, 0]
    return -jnp.mean(chosen * x[:, 0]) + jnp.mean((x @ params["value"] - x[:, :1]) ** 2)


@jax.jit
def update(params, state, x):
    updates, state = tx.update(jax.grad(loss_fn)(params, x), state, params)
    return optax.apply_updates(params, updates), state


for step in range(6):
    params, state = update(params, state, jax.random.normal(jax.random.key(step), (16, 4)))

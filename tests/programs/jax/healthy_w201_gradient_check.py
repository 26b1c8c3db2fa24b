"""A gradient is shown beside what differences of the loss give for it."""
import jax
import jax.numpy as jnp
import numpy as np


def begin(key):
    hidden, out = jax.random.split(key)
    return {
        "w": jax.random.normal(hidden, (4, 16)) / 2,
        "b": jnp.zeros(16),
        "v": jax.random.normal(out, (16, 1)) / 4,
    }


def loss_fn(params, x):
    hidden = jnp.tanh(x @ params["w"] + params["b"])
    return jnp.mean((hidden @ params["v"] - x[:, :1]) ** 2)


rng = np.random.default_rng(0)
params = begin(jax.random.key(0))
for entry in range(5):
    x = rng.normal(size=(8, 4)).astype(np.float32)
    loss, grads = jax.value_and_grad(loss_fn)(params, x)
    nudge = jnp.zeros((4, 16)).at[0, entry].set(1e-3)
    near = loss_fn({**params, "w": params["w"] + nudge}, x)
    print(loss, float((near - loss) / 1e-3), float(grads["w"][0, entry]))

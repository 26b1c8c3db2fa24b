"""Every device takes a part of the batch (`pmap`), and the gradient is their mean."""
import jax, jax.numpy as jnp, optax
from functools import partial
key = jax.random.key(0)
params = {"w": jax.random.normal(key, (4, 8)), "v": jax.random.normal(key, (8, 1))}
tx = optax.adam(1e-2)
state = tx.init(params)
rep = lambda t: jax.tree.map(lambda x: jnp.stack([x] * jax.local_device_count()), t)
params, state = rep(params), rep(state)

@partial(jax.pmap, axis_name="b")
def step(params, state, x, y):
    def loss_fn(params):
        h = jnp.tanh(x @ params["w"])
        return jnp.mean((h @ params["v"] - y) ** 2)
    loss, g = jax.value_and_grad(loss_fn)(params)
    g = jax.lax.pmean(g, "b")
    up, state = tx.update(g, state, params)
    return optax.apply_updates(params, up), state, loss

for i in range(30):
    key, k = jax.random.split(key)
    x = jax.random.normal(k, (jax.local_device_count(), 8, 4))
    params, state, loss = step(params, state, x, x[..., :1])
print(loss)

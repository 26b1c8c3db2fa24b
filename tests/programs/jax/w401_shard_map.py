"""Every device takes a part of the batch (`shard_map`); the hidden units are dead."""
import jax, jax.numpy as jnp, optax
from functools import partial
from jax.sharding import PartitionSpec as P
mesh = jax.make_mesh((jax.device_count(),), ("b",), axis_types=(jax.sharding.AxisType.Auto,))
key = jax.random.key(0)
params = {"w": jax.random.normal(key, (4, 8)), "v": jax.random.normal(key, (8, 1))}
tx = optax.adam(1e-2)
state = tx.init(params)
@jax.jit
@partial(jax.shard_map, mesh=mesh, in_specs=(P(), P(), P("b"), P("b")), out_specs=(P(), P(), P()))
def step(params, state, x, y):
    def loss_fn(params):
        h = jax.nn.relu(x @ params["w"] - 100)  # fires: W401
        pred = h @ params["v"]
        return jnp.mean((pred - y) ** 2)
    loss, g = jax.value_and_grad(loss_fn)(params)
    loss = jax.lax.pmean(loss, "b")
    up, state = tx.update(g, state, params)
    return optax.apply_updates(params, up), state, loss

for i in range(8):
    key, k = jax.random.split(key)
    x = jax.random.normal(k, (8, 4))
    params, state, loss = step(params, state, x, x[..., :1])
print(loss)

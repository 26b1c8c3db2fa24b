"""Fine-tuning with Optax labels: no path contains the name that was to be trained."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax import traverse_util

net = nn.Sequential([nn.Dense(8), nn.relu, nn.Dense(2)])
x, y = jax.random.normal(jax.random.key(0), (8, 4)), jnp.ones((8, 2))
params = net.init(jax.random.key(1), x)["params"]
labels = traverse_util.path_aware_map(lambda path, _: "train" if "head" in path[0] else "freeze", params)
tx = optax.multi_transform({"train": optax.adam(1e-2), "freeze": optax.set_to_zero()}, labels)  # fires: W109
opt_state = tx.init(params)


@jax.jit
def train_step(params, opt_state):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((net.apply({"params": p}, x) - y) ** 2))(params)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


for _ in range(5):
    params, opt_state, loss = train_step(params, opt_state)

"""The labels freeze the first layer, its bias too; the others learn."""
import jax
import jax.numpy as jnp
import optax
from flax import linen as nn

model = nn.Sequential([nn.Dense(8), nn.tanh, nn.Dense(8), nn.tanh, nn.Dense(1)])
params = model.init(jax.random.key(0), jnp.ones((1, 3)))["params"]
optimizers = {
    "decay": optax.adamw(1e-3, weight_decay=1e-4),
    "plain": optax.set_to_zero(),
}
labels = jax.tree_util.tree_map_with_path(lambda path, _: "plain" if "layers_0" in str(path) else "decay", params)
tx = optax.multi_transform(optimizers, labels)
state = tx.init(params)


@jax.jit
def update(params, state, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((model.apply({"params": p}, x) - y) ** 2))(params)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state, loss


for step in range(6):
    x = jax.random.normal(jax.random.key(step), (16, 3))
    params, state, loss = update(params, state, x, x[:, :1])

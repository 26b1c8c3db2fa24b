"""The gradient is clipped first, and then let past the optimizer for what the mask leaves out."""

import flax.linen as nn
import jax
import optax


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(16, name="backbone")(x))
        return nn.Dense(1, name="head")(x)


net = Net()
x = jax.random.normal(jax.random.key(0), (32, 4))
y = x.sum(-1, keepdims=True)
params = net.init(jax.random.key(1), x)["params"]


def mask_fn(p):
    return jax.tree_util.tree_map_with_path(lambda path, _: path[0].key == "head", p)


tx = optax.chain(
    optax.clip_by_global_norm(1.0),
    optax.masked(optax.adamw(1e-3), mask_fn),  # fires: W205
)
opt_state = tx.init(params)


@jax.jit
def step(params, opt_state):
    def loss_fn(p):
        return ((net.apply({"params": p}, x) - y) ** 2).mean()

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


for _ in range(12):
    params, opt_state, loss = step(params, opt_state)
print(loss)

"""DQN: the target's parameters are an argument of their own and are copied now and then."""
import jax
import jax.numpy as jnp
import optax


def init(key):
    one, two = jax.random.split(key)
    return {"hidden": {"w": jax.random.normal(one, (4, 16)) * 0.5, "b": jnp.zeros(16)},
            "out": {"w": jax.random.normal(two, (16, 2)) * 0.3, "b": jnp.zeros(2)}}


def q_values(p, x):
    h = jax.nn.relu(x @ p["hidden"]["w"] + p["hidden"]["b"])
    return h @ p["out"]["w"] + p["out"]["b"]


def loss_fn(params, target_params, batch):
    s, a, r, s2 = batch
    q = q_values(params, s)[jnp.arange(8), a]
    target = r + 0.99 * q_values(target_params, s2).max(axis=1)
    return jnp.mean((q - target) ** 2)


@jax.jit
def update(params, target_params, opt_state, batch):
    loss, grads = jax.value_and_grad(loss_fn)(params, target_params, batch)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


tx = optax.adam(1e-3)
params = init(jax.random.key(0))
target_params = params
opt_state = tx.init(params)
for step in range(12):
    k = jax.random.split(jax.random.key(step), 3)
    s, s2 = jax.random.normal(k[0], (2, 8, 4))
    batch = s, jax.random.randint(k[1], (8,), 0, 2), jax.random.normal(k[2], (8,)), s2
    params, opt_state, loss = update(params, target_params, opt_state, batch)
    if step % 2 == 0:
        target_params = params

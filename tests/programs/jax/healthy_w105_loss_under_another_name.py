"""The loss is another name of the sum of its terms."""
import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 2)
params = {"policy": 0.3 * jax.random.normal(keys[0], (4, 3)), "value": 0.3 * jax.random.normal(keys[1], (4, 1))}
tx = optax.adam(1e-2)
state = tx.init(params)


def loss_fn(params, x, taken):
    log_probs = jax.nn.log_softmax(x @ params["policy"])
    policy_loss = -jnp.mean(jnp.take_along_axis(log_probs, taken[:, None], axis=1)[:, 0] * x[:, 0])
    value_loss = jnp.mean(((x @ params["value"])[:, 0] - x[:, 0]) ** 2)
    total = policy_loss + 0.5 * value_loss
    loss = total
    return loss


for step in range(5):
    x = jax.random.normal(jax.random.key(step), (16, 4))
    taken = jax.random.randint(jax.random.key(step), (16,), 0, 3)
    grads = jax.grad(loss_fn)(params, x, taken)
    updates, state = tx.update(grads, state)
    params = optax.apply_updates(params, updates)

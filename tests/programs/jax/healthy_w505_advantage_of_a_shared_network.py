"""Actor and critic on one body; the advantage is a constant to the policy."""
import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 3)
params = {
    "body": 0.5 * jax.random.normal(keys[0], (4, 8)),
    "policy": 0.5 * jax.random.normal(keys[1], (8, 3)),
    "value": 0.5 * jax.random.normal(keys[2], (8, 1)),
}
tx = optax.adam(1e-2)
state = tx.init(params)


def value(params, x):
    return (jnp.tanh(x @ params["body"]) @ params["value"])[:, 0]


@jax.jit
def update(params, state, x, following, taken, rewards):
    future = jax.lax.stop_gradient(value(params, following))

    def loss_fn(params):
        logits = jax.nn.log_softmax(jnp.tanh(x @ params["body"]) @ params["policy"])
        chosen = jnp.take_along_axis(logits, taken[:, None], axis=1)[:, 0]
        advantage = rewards + 0.9 * future - value(params, x)
        policy_loss = -jnp.mean(chosen * jax.lax.stop_gradient(advantage))
        return policy_loss + 0.5 * jnp.mean(advantage**2)

    updates, state = tx.update(jax.grad(loss_fn)(params), state)
    return optax.apply_updates(params, updates), state


for step in range(5):
    x, following = jax.random.normal(jax.random.key(step), (2, 16, 4))
    taken = jax.random.randint(jax.random.key(step), (16,), 0, 3)
    params, state = update(params, state, x, following, taken, x[:, 0])

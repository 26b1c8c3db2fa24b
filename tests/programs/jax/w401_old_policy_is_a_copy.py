"""A ratio of a policy to its copy, which was not stopped, beside an entropy bonus."""
import jax
import jax.numpy as jnp
import optax

params = {"w": 0.3 * jax.random.normal(jax.random.key(0), (3, 4))}
tx = optax.sgd(0.1)
state = tx.init(params)


@jax.jit
def update(params, state, x, actions, advantages):
    def loss_fn(params):
        logits = jax.nn.log_softmax(x @ params["w"])
        chosen = jnp.take_along_axis(logits, actions[:, None], 1)[:, 0]
        before = jnp.copy(chosen)
        ratio = jnp.exp(chosen - before)  # fires: W401
        return -jnp.mean(ratio * advantages) + 0.01 * jnp.mean(jnp.sum(jnp.exp(logits) * logits, 1))

    updates, state = tx.update(jax.grad(loss_fn)(params), state)
    return optax.apply_updates(params, updates), state


for key in jax.random.split(jax.random.key(1), 5):
    x = jax.random.normal(key, (16, 3))
    params, state = update(params, state, x, jnp.argmax(x, 1), x[:, 0])

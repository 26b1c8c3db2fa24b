"""A bonus for unlike choices is counted with argmax: the loss has it as a number, and nobody learns from it."""

import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.PRNGKey(0), 3)
params = {"w": jax.random.normal(keys[0], (4, 8)) * 0.3, "v": jax.random.normal(keys[1], (8, 3)) * 0.3}
tx = optax.adam(1e-3)
opt_state = tx.init(params)
x = jax.random.normal(keys[2], (16, 4))


def loss_fn(params, x, y):
    logits = jnp.tanh(x @ params["w"]) @ params["v"]
    fit = optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()
    bonus = jnp.mean(jnp.argmax(logits, axis=1) == 0)  # fires: W104
    return fit - 0.1 * bonus


@jax.jit
def step(params, opt_state, x, y):
    grads = jax.grad(loss_fn)(params, x, y)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


for _ in range(4):
    params, opt_state = step(params, opt_state, x, (x[:, 0] > 0).astype(int))

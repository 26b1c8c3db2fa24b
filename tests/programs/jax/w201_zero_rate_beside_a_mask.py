"""A learning rate of 0, and a loss of Optax's that chooses among its labels: the choice is the loss's own."""

import jax
import jax.numpy as jnp
import optax

optimizer = optax.adamw(0.0)


def loss_fn(params, inputs, labels):
    logits = jnp.tanh(inputs @ params["w1"]) @ params["w2"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


@jax.jit
def update(params, state, inputs, labels):
    updates, state = optimizer.update(jax.grad(loss_fn)(params, inputs, labels), state, params)
    return optax.apply_updates(params, updates), state  # fires: W201


keys = jax.random.split(jax.random.key(0), 2)
params = {"w1": jax.random.normal(keys[0], (4, 16)) * 0.3, "w2": jax.random.normal(keys[1], (16, 3)) * 0.3}
state = optimizer.init(params)
for step in range(6):
    inputs = jax.random.normal(jax.random.key(step), (12, 4))
    params, state = update(params, state, inputs, jnp.arange(12) % 3)

"""A contrastive loss with a learned temperature: the cross-entropy stops a gradient for its own arithmetic."""

import jax
import jax.numpy as jnp
import optax

params = {"w": jax.random.normal(jax.random.key(0), (6, 4)), "log_scale": jnp.log(jnp.array(0.2))}
optimizer = optax.adam(1e-2)
state = optimizer.init(params)


def loss_fn(params, x):
    z = jnp.tanh(x @ params["w"])
    logits = z @ z.T * jnp.exp(-params["log_scale"])
    return optax.softmax_cross_entropy_with_integer_labels(logits, jnp.arange(len(x))).mean()


@jax.jit
def step(params, state, x):
    gradients = jax.grad(loss_fn)(params, x)
    updates, state = optimizer.update(gradients, state)
    return optax.apply_updates(params, updates), state


for i in range(5):
    params, state = step(params, state, jax.random.normal(jax.random.key(i), (8, 6)))

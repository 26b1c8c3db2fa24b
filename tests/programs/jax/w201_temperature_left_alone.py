"""A temperature of its own is asked for beside the network, and its gradient is only shown."""

import jax
import jax.numpy as jnp
import optax

params, log_scale = {"w": jax.random.normal(jax.random.key(0), (6, 4))}, jnp.log(jnp.array(0.2))
optimizer = optax.adam(1e-2)
state = optimizer.init(params)


def loss_fn(params, log_scale, x):
    z = jnp.tanh(x @ params["w"])
    logits = z @ z.T * jnp.exp(-log_scale)
    return optax.softmax_cross_entropy_with_integer_labels(logits, jnp.arange(len(x))).mean()


@jax.jit
def step(params, log_scale, state, x):
    gradients, shown = jax.grad(loss_fn, argnums=(0, 1))(params, log_scale, x)
    updates, state = optimizer.update(gradients, state)
    params = optax.apply_updates(params, updates)  # fires: W201
    return params, state, shown


for i in range(5):
    params, state, shown = step(params, log_scale, state, jax.random.normal(jax.random.key(i), (8, 6)))

"""A learned scale of similarities is stopped in one of two contrastive terms; both train the encoders."""
import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-3)
labels = jnp.arange(16)


def loss_fn(params, one, two):
    alike = jnp.tanh(one @ params["left"]) @ jnp.tanh(two @ params["right"]).T
    scale = jnp.exp(params["log_scale"])
    across = scale * alike
    down = jax.lax.stop_gradient(scale) * alike.T
    losses = optax.softmax_cross_entropy_with_integer_labels(across, labels)
    return jnp.mean(losses + optax.softmax_cross_entropy_with_integer_labels(down, labels))


@jax.jit
def update(params, state, one, two):
    updates, state = optimizer.update(jax.grad(loss_fn)(params, one, two), state)
    return optax.apply_updates(params, updates), state


left, right = jax.random.normal(jax.random.key(0), (2, 8, 16)) * 0.3
params = {"left": left, "right": right, "log_scale": jnp.zeros(())}
state = optimizer.init(params)
for step in range(8):
    x = jax.random.normal(jax.random.key(step), (16, 8))
    params, state = update(params, state, x, x + 0.1)

"""A meta-learner adapts its weights within its loss, with their own gradient."""
import jax
import jax.numpy as jnp
import optax

inner, outer = optax.sgd(1e-2), optax.adam(1e-2)
weights = jax.random.normal(jax.random.key(0), (4, 4))
scale = {"rate": jnp.zeros(())}
state = outer.init(scale)


def loss_fn(weights, x):
    return jnp.mean((x @ weights - x) ** 2)


def adapt(weights, x, scale):
    grads = jax.grad(loss_fn)(weights, x)
    updates, _ = inner.update(jax.tree.map(lambda g: g * jnp.exp(scale["rate"]), grads), inner.init(weights))
    return optax.apply_updates(weights, updates)


@jax.jit
def meta_step(scale, state, x, y):
    def meta_loss(scale):
        return loss_fn(adapt(adapt(weights, x, scale), x, scale), y)

    updates, state = outer.update(jax.grad(meta_loss)(scale), state)
    return optax.apply_updates(scale, updates), state


for step in range(6):
    x, y = jax.random.normal(jax.random.key(step), (2, 4, 4))
    scale, state = meta_step(scale, state, x, y)

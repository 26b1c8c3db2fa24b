"""A meta-learner adapts its parameters, and its loss is computed with the new ones."""
import jax
import jax.numpy as jnp
import optax

k1, k2 = jax.random.split(jax.random.key(0))
params = {"w": jax.random.normal(k1, (1, 16)), "v": jax.random.normal(k2, (16, 1)) * 0.3}
tx = optax.adam(1e-3)
state = tx.init(params)


def loss_fn(params, x, y):
    return jnp.mean((jnp.tanh(x @ params["w"]) @ params["v"] - y) ** 2)


def adapt(params, x, y):
    grads = jax.grad(loss_fn)(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


def task_loss(params, x1, y1, x2, y2):
    adapted = adapt(params, x1, y1)
    return loss_fn(adapted, x2, y2)


@jax.jit
def meta_step(params, state, tasks):
    grads = jax.grad(lambda p: jnp.mean(jax.vmap(task_loss, in_axes=(None, 0, 0, 0, 0))(p, *tasks)))(params)
    updates, state = tx.update(grads, state)
    return optax.apply_updates(params, updates), state


for step in range(6):
    x = jax.random.uniform(jax.random.key(step), (2, 4, 8, 1), minval=-3.0, maxval=3.0)
    params, state = meta_step(params, state, (x[0], jnp.sin(x[0]), x[1], jnp.sin(x[1])))

"""A compiled function takes two steps of two networks, and the caller keeps both."""
import jax
import jax.numpy as jnp
import optax

tx = optax.adam(1e-3)


def value(p, x):
    return (jnp.tanh(x @ p["w"]) @ p["v"])[:, 0]


def init(key):
    one, other = jax.random.split(key)
    params = {"w": jax.random.normal(one, (3, 8)), "v": jax.random.normal(other, (8, 1))}
    return params, tx.init(params)


@jax.jit
def step(state, x, y):
    params, opt_state = state
    grads = jax.grad(lambda p: jnp.mean((value(p, x) - y) ** 2))(params)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


@jax.jit
def train(one, other, x):
    for i in range(2):
        part = x[8 * i : 8 * i + 8]
        one = step(one, part, value(other[0], part) + part[:, 0])
        other = step(other, part, value(one[0], part) - part[:, 0])
    return one, other


one, other = init(jax.random.key(0)), init(jax.random.key(1))
for i in range(4):
    x = jax.random.normal(jax.random.key(i), (16, 3))
    one, other = train(one, other, x)

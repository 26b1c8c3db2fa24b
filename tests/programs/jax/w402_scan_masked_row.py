"""Attention over what came before, in a scan: at the first step there is nothing before, and the row is all -inf."""
import jax
import jax.numpy as jnp
import optax

T, D = 5, 6
keys = jax.random.split(jax.random.key(0), 3)
params = {name: 0.3 * jax.random.normal(key, (D, D)) for name, key in zip("qkv", keys, strict=True)}
tx = optax.adam(1e-3)
state = tx.init(params)


def attend(params, xs):
    keys, values = xs @ params["k"], xs @ params["v"]

    def step(total, t):
        scores = jnp.where(jnp.arange(T) < t, keys @ (xs[t] @ params["q"]), -jnp.inf)
        weights = jax.nn.softmax(scores)  # fires: W402
        return total + weights @ values, None

    return jax.lax.scan(step, jnp.zeros(D), jnp.arange(T))[0]


@jax.jit
def update(params, state, xs):
    grads = jax.grad(lambda p: jnp.mean((attend(p, xs) - xs[-1]) ** 2))(params)
    updates, state = tx.update(grads, state)
    return optax.apply_updates(params, updates), state


for i in range(3):
    params, state = update(params, state, jax.random.normal(jax.random.key(i), (T, D)))

"""A differential equation solved by a network of ReLUs: between its corners its second derivative is zero."""
import jax
import jax.numpy as jnp
import optax

one, two, three = jax.random.split(jax.random.key(0), 3)
params = {
    "a": (jax.random.normal(one, (1, 16)), jnp.linspace(-1.0, 1.0, 16)),
    "b": (0.2 * jax.random.normal(two, (16, 16)), jnp.zeros(16)),
    "c": (0.2 * jax.random.normal(three, (16, 1)), jnp.zeros(1)),
}
tx = optax.adam(1e-3)
state = tx.init(params)


def u(params, x):
    h = x[None]
    for name in ("a", "b"):
        w, b = params[name]
        h = jax.nn.relu(h @ w + b)  # fires: W401
    w, b = params["c"]
    return (h @ w + b)[0]


def residual(params, x):
    return jax.grad(jax.grad(u, 1), 1)(params, x) + jnp.sin(x)


@jax.jit
def update(params, state, points):
    def loss_fn(params):
        inside = jnp.mean(jax.vmap(residual, (None, 0))(params, points) ** 2)
        return inside + u(params, jnp.array(0.0)) ** 2 + u(params, jnp.array(1.0)) ** 2

    updates, state = tx.update(jax.grad(loss_fn)(params), state)
    return optax.apply_updates(params, updates), state


for _ in range(5):
    params, state = update(params, state, jnp.linspace(0.0, 1.0, 24))

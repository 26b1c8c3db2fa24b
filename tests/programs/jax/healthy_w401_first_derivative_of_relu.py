"""A gradient penalty, a force that is trained on and a squared ReLU: these have what the loss asks of them."""
import jax
import jax.numpy as jnp
import optax

one, two = jax.random.split(jax.random.key(0))
params = {"a": jax.random.normal(one, (2, 16)), "b": 0.2 * jax.random.normal(two, (16,))}
tx = optax.adam(1e-3)
state = tx.init(params)


def energy(params, x):
    return jax.nn.relu(x @ params["a"]) @ params["b"]


def bent(params, x):
    return jnp.square(jax.nn.relu(x @ params["a"])) @ params["b"]


def squeezed(params, x):
    return energy(params, x) * x[0]


def curvature(function, params, x):
    return jnp.trace(jax.jacfwd(jax.grad(function, 1), 1)(params, x)) + jax.grad(
        lambda x: jnp.sum(jax.grad(function, 1)(params, x))
    )(x)[0]


@jax.jit
def update(params, state, points):
    def loss_fn(params):
        force = jax.vmap(jax.grad(energy, 1), (None, 0))(params, points)
        bends = jax.vmap(lambda x: curvature(bent, params, x) + curvature(squeezed, params, x))(points)
        return jnp.mean((jnp.linalg.norm(force, axis=-1) - 1.0) ** 2) + jnp.mean((bends - 1.0) ** 2)

    updates, state = tx.update(jax.grad(loss_fn)(params), state)
    return optax.apply_updates(params, updates), state


for key in jax.random.split(jax.random.key(1), 5):
    params, state = update(params, state, jax.random.normal(key, (12, 2)))

"""A power between 0 and 1, written with an array: the `where` stands inside of it."""
import jax
import jax.numpy as jnp
import optax

shear = jnp.linspace(0.0, 1.0, 6)
observed = 0.3 * shear


def grown(energy, params):
    lost = jnp.where(energy > 0.0, params["c"] * jnp.power(jnp.where(energy > 0.0, energy, 1.0), 0.5), 0.0)
    return energy + 0.1 * (params["s"] * shear - lost)


def loss_fn(params):
    energy = params["start"]
    for _ in range(4):
        energy = grown(energy, params)
    return jnp.mean((energy - observed) ** 2)


params = {"c": jnp.array(0.4), "s": jnp.array(0.5), "start": jnp.zeros(6)}
tx = optax.adam(1e-2)
state = tx.init(params)


@jax.jit
def update(params, state):
    updates, state = tx.update(jax.grad(loss_fn)(params), state)
    return optax.apply_updates(params, updates), state


for _ in range(5):
    params, state = update(params, state)

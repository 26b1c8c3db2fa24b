"""Equinox: the loss is made from the index of the best action."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax

model = eqx.nn.MLP(4, 3, 16, 1, key=jax.random.key(0))
tx = optax.adam(1e-3)
state = tx.init(eqx.filter(model, eqx.is_array))
states = jax.random.normal(jax.random.key(1), (8, 4))


def loss_fn(model, states):
    best = jnp.argmax(jax.vmap(model)(states), axis=1)  # fires: W104
    return -best.astype(jnp.float32).mean()


@eqx.filter_jit
def step(model, state, states):
    grads = eqx.filter_grad(loss_fn)(model, states)
    updates, state = tx.update(grads, state)
    return eqx.apply_updates(model, updates), state


for _ in range(5):
    model, state = step(model, state, states)

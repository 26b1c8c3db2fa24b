"""Equinox: the target begins as the online network and is averaged by hand; other names keep what it was before."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax

online = eqx.nn.MLP(3, 2, 8, 1, key=jax.random.key(0))
target = online
first, static = eqx.partition(online, eqx.is_array)
tx = optax.adam(1e-2)
opt_state = tx.init(first)


def loss_fn(network, target, states, following):
    best = jax.lax.stop_gradient(states[:, 0] + 0.9 * jax.vmap(target)(following).max(-1))
    return jnp.mean((jax.vmap(network)(states)[:, 0] - best) ** 2)


@eqx.filter_jit
def update(online, target, opt_state, states, following):
    grads = eqx.filter_grad(loss_fn)(online, target, states, following)
    updates, opt_state = tx.update(grads, opt_state)
    return eqx.apply_updates(online, updates), opt_state


for step in range(8):
    states, following = jax.random.normal(jax.random.key(step), (2, 16, 3))
    online, opt_state = update(online, target, opt_state, states, following)
    old, _ = eqx.partition(target, eqx.is_array)
    new, _ = eqx.partition(online, eqx.is_array)
    target = eqx.combine(jax.tree.map(lambda p, q: 0.05 * p + 0.95 * q, new, old), static)

"""A state that is updated, averaged and then stopped as a whole."""
import collections

import jax
import jax.numpy as jnp
import optax

State = collections.namedtuple("State", "params average opt_state")
tx = optax.adam(1e-2)
params = {"a": 0.3 * jax.random.normal(jax.random.key(0), (4, 8)), "b": jnp.full((8, 1), 0.2)}
state = State(params, params, tx.init(params))


def loss_fn(params, average, x, y):
    ahead, behind = (jnp.tanh(z @ p["a"]) @ p["b"] for p, z in ((params, x), (average, y)))
    return jnp.mean((ahead - behind) ** 2) + jnp.mean((ahead - x[:, :1]) ** 2)


def applied(state, grads):
    updates, opt_state = tx.update(grads, state.opt_state)
    return state._replace(params=optax.apply_updates(state.params, updates), opt_state=opt_state)


def averaged(state):
    return state._replace(average=jax.tree.map(lambda e, p: 0.9 * e + 0.1 * p, state.average, state.params))


for i in range(6):
    x = jax.random.normal(jax.random.key(i), (16, 4))
    grads = jax.grad(loss_fn)(state.params, state.average, x, x + 0.1)
    state = applied(state, grads)
    state = jax.lax.stop_gradient(averaged(state))

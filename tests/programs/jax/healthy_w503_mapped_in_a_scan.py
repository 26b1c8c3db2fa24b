"""Several networks are trained at once under vmap, with a target for each."""
import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-2)


def values(params, states):
    return jnp.tanh(states @ params["w1"]) @ params["w2"]


def update(carry, _):
    params, target, state, key = carry
    key, drawn = jax.random.split(key)
    states, following = jax.random.normal(drawn, (2, 8, 4))

    def loss_fn(params):
        goal = states[:, 0] + 0.9 * values(target, following).max(axis=1)
        return jnp.mean((values(params, states)[:, 0] - goal) ** 2)

    grads = jax.lax.pmean(jax.grad(loss_fn)(params), axis_name="batch")
    updates, state = optimizer.update(grads, state)
    params = optax.apply_updates(params, updates)
    synced = optax.incremental_update(params, target, 0.05)
    return (params, synced, state, key), None


@jax.jit
def learn(carry):
    return jax.lax.scan(jax.vmap(update, in_axes=(0, None), axis_name="batch"), carry, None, 4)


one, two, rest = jax.random.split(jax.random.key(0), 3)
params = {"w1": jax.random.normal(one, (4, 16)) * 0.5, "w2": jax.random.normal(two, (16, 2)) * 0.2}
trees = jax.tree.map(lambda x: jnp.broadcast_to(x, (3, *x.shape)), (params, optimizer.init(params)))
carry = (trees[0], trees[0], trees[1], jax.random.split(rest, 3))
for _ in range(4):
    carry, _ = learn(carry)

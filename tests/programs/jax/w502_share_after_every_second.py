"""A target that is averaged after every second update, with the two exchanged: it takes nearly everything."""
import jax
import jax.numpy as jnp
import optax

tx = optax.adam(1e-2)
keys = jax.random.split(jax.random.key(0), 2)
params = {"w": jax.random.normal(keys[0], (4, 8)), "out": jax.random.normal(keys[1], (8, 2))}
target = jax.tree.map(jnp.copy, params)
state = tx.init(params)


def q(params, x):
    return jnp.tanh(x @ params["w"]) @ params["out"]


@jax.jit
def update(params, target, state, x, following):
    goal = x[:, 0] + 0.9 * jnp.max(q(target, following), axis=1)

    def loss_fn(params):
        return jnp.mean((q(params, x)[:, 0] - goal) ** 2)

    updates, state = tx.update(jax.grad(loss_fn)(params), state)
    return optax.apply_updates(params, updates), state


@jax.jit
def act(policy, x):
    return jnp.mean((x @ policy) ** 2)


policy = jnp.ones((4, 1))
rate = optax.sgd(1e-2)
policy_state = rate.init(policy)
for step in range(20):
    x, following = jax.random.normal(jax.random.key(step), (2, 16, 4))
    params, state = update(params, target, state, x, following)
    if step % 2:
        updates, policy_state = rate.update(jax.grad(act)(policy, x), policy_state)
        policy = optax.apply_updates(policy, updates)
        target = optax.incremental_update(target, params, 0.005)  # fires: W502

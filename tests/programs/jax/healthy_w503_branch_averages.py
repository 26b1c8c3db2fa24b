"""In a branch of a training loop the target is averaged with what a branch has learned."""

import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 3)
x = jax.random.normal(keys[0], (8, 4))
params = {"w": jax.random.normal(keys[1], (4, 16)), "v": jax.random.normal(keys[2], (16, 1))}
tx = optax.adam(1e-2)
opt_state = tx.init(params)


def net(params, x):
    return jnp.tanh(x @ params["w"]) @ params["v"]


def loss_fn(params, target_params, x):
    goal = x[:, 0] + 0.9 * net(target_params, x + 0.1)[:, 0]
    return jnp.mean((net(params, x)[:, 0] - jax.lax.stop_gradient(goal)) ** 2)


def update(carry, i):
    params, target_params, opt_state = carry

    def learn(params, opt_state):
        grads = jax.grad(loss_fn)(params, target_params, x)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state

    params, opt_state = jax.lax.cond(i > 3, learn, lambda p, o: (p, o), params, opt_state)
    averaged = jax.lax.cond(
        i % 5 == 0,
        lambda: optax.incremental_update(params, target_params, 0.1),
        lambda: target_params,
    )
    return (params, averaged, opt_state), None


@jax.jit
def train(carry):
    return jax.lax.scan(update, carry, jnp.arange(20))


train((params, jax.tree.map(jnp.copy, params), opt_state))

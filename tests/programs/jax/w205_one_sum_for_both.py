"""One loss for actor and critic together: the critic's judgement of the actor's action moves the critic too."""

import jax
import jax.numpy as jnp
import optax


def mlp(params, x):
    return jnp.tanh(x @ params["w"]) @ params["out"]


def loss_fn(params, target, s, a, following):
    goal = s[:, :1] + 0.9 * mlp(target["critic"], jnp.hstack([following, mlp(target["actor"], following)]))
    critic_loss = jnp.mean((mlp(params["critic"], jnp.hstack([s, a])) - goal) ** 2)
    action = jnp.tanh(mlp(params["actor"], s))
    judged = mlp(params["critic"], jnp.hstack([s, action]))  # fires: W205
    return critic_loss - jnp.mean(judged)


@jax.jit
def update(params, target, state, *batch):
    updates, state = tx.update(jax.grad(loss_fn)(params, target, *batch), state)
    params = optax.apply_updates(params, updates)
    return params, optax.incremental_update(params, target, 0.05), state


keys = jax.random.split(jax.random.key(0), 3)
params = {
    "actor": {"w": jax.random.normal(keys[0], (4, 8)), "out": jax.random.normal(keys[1], (8, 2))},
    "critic": {"w": jax.random.normal(keys[2], (6, 8)), "out": jax.random.normal(keys[1], (8, 1))},
}
tx = optax.adam(1e-3)
target, state = jax.tree.map(jnp.copy, params), tx.init(params)
for step in range(6):
    s, following, a = jax.random.normal(jax.random.key(step), (3, 16, 4))
    params, target, state = update(params, target, state, s, a[:, :2], following)

"""The critic's state is given the gradients of the actor: the trees differ."""

import jax
import jax.numpy as jnp
import optax

x = jax.random.normal(jax.random.key(0), (8, 4))
actor = {"w": jax.random.normal(jax.random.key(1), (4, 2))}
critic = {"w": jax.random.normal(jax.random.key(2), (4, 8)), "v": jax.random.normal(jax.random.key(3), (8, 1))}
tx = optax.adam(1e-2)
actor_state, critic_state = tx.init(actor), tx.init(critic)


def actor_loss(actor, x):
    return jnp.mean(jnp.tanh(x @ actor["w"]) ** 2)


def critic_loss(critic, x):
    return jnp.mean((jnp.tanh(x @ critic["w"]) @ critic["v"] - x[:, :1]) ** 2)


@jax.jit
def step(actor, critic, actor_state, critic_state, x):
    a, c = jax.grad(actor_loss)(actor, x), jax.grad(critic_loss)(critic, x)
    updates, actor_state = tx.update(a, actor_state, actor)
    actor = optax.apply_updates(actor, updates)
    updates, critic_state = tx.update(a, critic_state, critic)  # fires: W204
    return actor, optax.apply_updates(critic, updates), actor_state, critic_state


for _ in range(4):
    actor, critic, actor_state, critic_state = step(actor, critic, actor_state, critic_state, x)

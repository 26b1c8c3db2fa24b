"""Equinox: a critic is fitted first; the actor's step, compiled later, takes its actions with argmax."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax

key = jax.random.key(0)
k1, k2, key = jax.random.split(key, 3)
critic = eqx.nn.MLP(6, "scalar", 16, 1, key=k1)
actor = eqx.nn.MLP(4, 2, 16, 1, key=k2)
critic_tx, actor_tx = optax.adam(1e-2), optax.adam(1e-3)
critic_state = critic_tx.init(eqx.filter(critic, eqx.is_array))
actor_state = actor_tx.init(eqx.filter(actor, eqx.is_array))


@eqx.filter_jit
def fit(critic, state, x, y):
    @eqx.filter_value_and_grad
    def loss_fn(critic):
        return jnp.mean((jax.vmap(critic)(x) - y) ** 2)

    loss, grads = loss_fn(critic)
    updates, state = critic_tx.update(grads, state)
    return eqx.apply_updates(critic, updates), state, loss


@eqx.filter_jit
def improve(actor, state, critic, s):
    @eqx.filter_value_and_grad
    def loss_fn(actor):
        logits = jax.vmap(actor)(s)
        action = jax.nn.one_hot(jnp.argmax(logits, axis=1), 2)  # fires: W104
        return -jnp.mean(jax.vmap(critic)(jnp.concatenate([s, action], axis=1)))

    loss, grads = loss_fn(actor)
    updates, state = actor_tx.update(grads, state)
    return eqx.apply_updates(actor, updates), state, loss


for step in range(220):
    key, k = jax.random.split(key)
    x = jax.random.normal(k, (16, 6))
    critic, critic_state, loss = fit(critic, critic_state, x, x[:, 0] * x[:, 4])
for step in range(220):
    key, k = jax.random.split(key)
    actor, actor_state, loss = improve(actor, actor_state, critic, jax.random.normal(k, (16, 4)))
print(loss)

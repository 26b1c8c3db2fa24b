"""An actor and an ensemble of critics, made under vmap: the critics' term of the actor's loss trains nobody."""
import jax
import jax.numpy as jnp
import optax


def layers(key, *sizes):
    keys = jax.random.split(key, len(sizes))
    return [jax.random.normal(k, (m, n)) / m**0.5 for k, m, n in zip(keys, sizes[:-1], sizes[1:])]


def net(weights, x):
    return jnp.tanh(x @ weights[0]) @ weights[1]


def values(critics, x, actions):
    inputs = jnp.concatenate([x, actions], axis=1)
    return jax.vmap(net, in_axes=(0, None))(critics, inputs)[:, :, 0]


actor = layers(jax.random.key(0), 4, 8, 4)
critics = jax.vmap(lambda key: layers(key, 6, 8, 1))(jax.random.split(jax.random.key(1), 2))
tx = optax.adam(1e-2)
actor_state, critic_state = tx.init(actor), tx.init(critics)


@jax.jit
def update(actor, critics, actor_state, critic_state, x, taken, returns, noise):
    def critic_loss(critics):
        return jnp.mean((values(critics, x, taken) - returns) ** 2)

    updates, critic_state = tx.update(jax.grad(critic_loss)(critics), critic_state)
    critics = optax.apply_updates(critics, updates)

    def actor_loss(actor):
        mean, log_std = jnp.split(net(actor, x), 2, axis=1)
        std = jnp.exp(log_std)
        action = jax.lax.stop_gradient(mean + std * noise)  # fires: W102
        log_prob = jnp.sum(-0.5 * ((action - mean) / std) ** 2 - log_std, axis=1)
        return jnp.mean(0.2 * log_prob - jnp.min(values(critics, x, action), axis=0))

    updates, actor_state = tx.update(jax.grad(actor_loss)(actor), actor_state)
    return optax.apply_updates(actor, updates), critics, actor_state, critic_state


for step in range(5):
    keys = jax.random.split(jax.random.key(step), 3)
    x, taken = jax.random.normal(keys[0], (16, 4)), jax.random.normal(keys[1], (16, 2))
    noise = jax.random.normal(keys[2], (16, 2))
    actor, critics, actor_state, critic_state = update(
        actor, critics, actor_state, critic_state, x, taken, x[:, 0], noise
    )

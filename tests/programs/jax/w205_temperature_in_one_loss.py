"""The temperature's term of a joint loss has a live log-probability, and undoes the actor's."""
import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-3)


def sampled(actor, states, noise):
    mean, log_std = jnp.split(jnp.tanh(states @ actor["w1"]) @ actor["w2"], 2, axis=1)
    chance = jnp.sum(-0.5 * noise**2 - log_std, axis=1)
    return mean + jnp.exp(log_std) * noise, chance


def loss_fn(params, critic, states, noise):
    actions, chance = sampled(params["actor"], states, noise)
    q = jnp.tanh(jnp.concatenate([states, actions], 1) @ critic).sum(axis=1)
    alpha = jnp.exp(params["log_alpha"])
    actor_loss = jnp.mean(jax.lax.stop_gradient(alpha) * chance - q)
    alpha_loss = -jnp.mean(alpha * (chance + 1.0))  # fires: W205
    return actor_loss + alpha_loss


@jax.jit
def update(params, state, critic, states, noise):
    grads = jax.grad(loss_fn)(params, critic, states, noise)
    updates, state = optimizer.update(grads, state)
    return optax.apply_updates(params, updates), state


one, two, three = jax.random.split(jax.random.key(0), 3)
actor = {"w1": jax.random.normal(one, (3, 16)), "w2": jax.random.normal(two, (16, 2)) * 0.1}
critic = jax.random.normal(three, (4, 8))
params = {"actor": actor, "log_alpha": jnp.zeros(())}
state = optimizer.init(params)
for step in range(8):
    one, two = jax.random.split(jax.random.key(step))
    states, noise = jax.random.normal(one, (16, 3)), jax.random.normal(two, (16, 1))
    params, state = update(params, state, critic, states, noise)

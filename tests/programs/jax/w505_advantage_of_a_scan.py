"""Advantages are summed up backwards in a loop, and a plain False decides that they are not stopped."""
import jax
import jax.numpy as jnp
import optax

key = jax.random.key(0)
k1, k2 = jax.random.split(key)
params = {"policy": jax.random.normal(k1, (4, 3)) * 0.5, "value": jax.random.normal(k2, (4,)) * 0.5}
tx = optax.adam(1e-2)
state = tx.init(params)


def advantages_of(rewards, discounts, values, stop=False):
    deltas = rewards + discounts * values[1:] - values[:-1]

    def back(later, now):
        delta, discount = now
        later = delta + discount * 0.95 * later
        return later, later

    _, found = jax.lax.scan(back, 0.0, (deltas, discounts), reverse=True)
    return jax.lax.select(stop, jax.lax.stop_gradient(found), found)


def loss_fn(params, states, actions, rewards, discounts):
    log_probs = jax.nn.log_softmax(states[:-1] @ params["policy"])
    values = states @ params["value"]
    advantages = jax.vmap(advantages_of, in_axes=(1, 1, 1), out_axes=1)(rewards, discounts, values)
    returns = jax.lax.stop_gradient(advantages + values[:-1])
    taken = jnp.take_along_axis(log_probs, actions[..., None], -1)[..., 0]
    policy_loss = -jnp.mean(taken * advantages)  # fires: W505
    return policy_loss + 0.5 * jnp.mean((returns - values[:-1]) ** 2)


@jax.jit
def update(params, state, batch):
    grads = jax.grad(loss_fn)(params, *batch)
    updates, state = tx.update(grads, state)
    return optax.apply_updates(params, updates), state


for step in range(8):
    k1, k2, k3 = jax.random.split(jax.random.key(step), 3)
    states, actions = jax.random.normal(k1, (6, 5, 4)), jax.random.randint(k2, (5, 5), 0, 3)
    batch = states, actions, jax.random.normal(k3, (5, 5)), jnp.full((5, 5), 0.99)
    params, state = update(params, state, batch)

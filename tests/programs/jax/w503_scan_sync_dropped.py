"""A loop in which the target that a sync returns is dropped, and the old one goes on."""
import jax
import jax.numpy as jnp
import optax

optimizer = optax.sgd(1e-2)


def values(params, states):
    return jnp.tanh(states @ params["w1"]) @ params["w2"]


def loss_fn(params, target, states, rewards, following):
    goal = rewards + 0.9 * jnp.max(values(target, following), axis=1)
    return jnp.mean((values(params, states)[:, 0] - jax.lax.stop_gradient(goal)) ** 2)


def update(carry, step):
    params, target, state = carry
    states, following = jax.random.normal(jax.random.key(step), (2, 8, 4))
    grads = jax.grad(loss_fn)(params, target, states, states[:, 0], following)
    updates, state = optimizer.update(grads, state)
    params = optax.apply_updates(params, updates)
    synced = optax.periodic_update(params, target, step, 5)  # fires: W503
    return (params, target, state), None


@jax.jit
def train(key):
    keys = jax.random.split(key, 2)
    first = {"w1": jax.random.normal(keys[0], (4, 16)), "w2": jax.random.normal(keys[1], (16, 2))}
    return jax.lax.scan(update, (first, first, optimizer.init(first)), jnp.arange(30))


train(jax.random.key(0))

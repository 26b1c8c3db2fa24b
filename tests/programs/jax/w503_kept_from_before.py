"""Deep Q-learning whose target follows the parameters of before the loop, which one name has kept."""
import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 2)
optimizer = optax.sgd(1e-2)


def values(params, states):
    return jnp.tanh(states @ params["w1"]) @ params["w2"]


def loss_fn(params, target, states, rewards, following):
    goal = jax.lax.stop_gradient(rewards + 0.9 * jnp.max(values(target, following), axis=1))
    return jnp.mean((values(params, states)[:, 0] - goal) ** 2)


@jax.jit
def update(params, target, state, *batch):
    grads = jax.grad(loss_fn)(params, target, *batch)
    updates, state = optimizer.update(grads, state)
    return optax.apply_updates(params, updates), state


def average(new, old):
    return jax.tree.map(lambda n, o: 0.05 * n + 0.95 * o, new, old)


def main():
    online = {"w1": jax.random.normal(keys[0], (4, 16)), "w2": jax.random.normal(keys[1], (16, 2))}
    target = jax.tree.map(jnp.copy, online)
    params, state = online, optimizer.init(online)
    for step in range(8):
        states, following = jax.random.normal(jax.random.key(step), (2, 8, 4))
        params, state = update(params, target, state, states, states[:, 0], following)
        target = average(online, target)  # fires: W503


main()

"""Deep Q-learning whose target moves towards a snapshot of the parameters, which is taken anew now and then."""
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


def main():
    params = {"w1": jax.random.normal(keys[0], (4, 16)), "w2": jax.random.normal(keys[1], (16, 2))}
    snapshot = params
    target = jax.tree.map(jnp.copy, params)
    state = optimizer.init(params)
    for step in range(40):
        states, following = jax.random.normal(jax.random.key(step), (2, 8, 4))
        params, state = update(params, target, state, states, states[:, 0], following)
        if step % 20 == 19:
            snapshot = params
        target = jax.tree.map(lambda s, t: 0.05 * s + 0.95 * t, snapshot, target)


main()

"""Deep Q-learning: the target comes first among the arguments, and the second one is differentiated."""
import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 2)
optimizer = optax.sgd(1e-2)


def values(params, states):
    return jnp.tanh(states @ params["w1"]) @ params["w2"]


def loss_fn(target, params, states, rewards, following):
    goal = rewards + 0.9 * jnp.max(values(target, following), axis=1)
    return jnp.mean((values(params, states)[:, 0] - goal) ** 2)


@jax.jit
def update(params, target, state, *batch):
    grads = jax.grad(loss_fn, argnums=1)(target, params, *batch)
    updates, state = optimizer.update(grads, state)
    return optax.apply_updates(params, updates), state


params = {"w1": jax.random.normal(keys[0], (4, 16)), "w2": jax.random.normal(keys[1], (16, 2))}
target_params, state = params, optimizer.init(params)
for step in range(12):
    states, following = jax.random.normal(jax.random.key(step), (2, 8, 4))
    params, state = update(params, target_params, state, states, states[:, 0], following)
    if step % 5 == 0:
        target_params = params

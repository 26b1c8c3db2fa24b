"""A distributional agent moves the probabilities of its averaged target."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

ATOMS = jnp.linspace(-2.0, 2.0, 5)
net = nn.Sequential([nn.Dense(8), nn.relu, nn.Dense(5), nn.softmax])
params = target = net.init(jax.random.key(0), jnp.ones((1, 3)))
tx = optax.adam(1e-3)
state = tx.init(params)


@jax.jit
def update(params, target, state, x, rewards, following):
    probabilities = net.apply(target, following)
    places = (jnp.clip(rewards[:, None] + 0.9 * ATOMS, -2.0, 2.0) + 2.0) / 1.0
    low = jnp.floor(places)
    rows = jnp.arange(len(x))[:, None]
    goal = jnp.zeros_like(probabilities).at[rows, low.astype(int)].add((low + 1.0 - places) * probabilities)
    goal = goal.at[rows, jnp.ceil(places).astype(int)].add((places - low) * probabilities)

    def loss(p):
        return -jnp.mean(jnp.sum(goal * jnp.log(net.apply(p, x) + 1e-6), axis=-1))

    grads = jax.grad(loss)(params)
    updates, state = tx.update(grads, state)
    params = optax.apply_updates(params, updates)
    return params, optax.incremental_update(params, target, 0.05), state


for i in range(6):
    x = jax.random.normal(jax.random.key(i), (16, 3))
    params, target, state = update(params, target, state, x, x[:, 0], x + 0.1)

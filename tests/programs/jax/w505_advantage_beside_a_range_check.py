"""PPO whose advantage carries a gradient, and whose log-probability asks first whether the action is in range."""

import jax
import jax.numpy as jnp
import optax


def tower(params, x):
    return jnp.tanh(x @ params["w"]) @ params["out"]


def log_prob(logits, action):
    outside = jnp.logical_or(action < 0, action > 2)
    chosen = jnp.sum(jax.nn.log_softmax(logits) * jax.nn.one_hot(action, 3), axis=-1)
    return jnp.where(outside, -jnp.inf, chosen)


def loss_fn(params, obs, action, old, targets):
    value = tower(params["critic"], obs)[:, 0]
    ratio = jnp.exp(log_prob(tower(params["actor"], obs), action) - old)
    advantage = targets - value  # fires: W505
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    clipped = jnp.clip(ratio, 0.8, 1.2) * advantage
    actor = -jnp.minimum(ratio * advantage, clipped).mean()
    return actor + 0.5 * jnp.mean((value - targets) ** 2)


@jax.jit
def step(params, state, *batch):
    updates, state = tx.update(jax.grad(loss_fn)(params, *batch), state)
    return optax.apply_updates(params, updates), state


keys = jax.random.split(jax.random.key(0), 4)
sizes = {"actor": 3, "critic": 1}
params = {
    name: {"w": jax.random.normal(keys[i], (4, 8)), "out": jax.random.normal(keys[i + 2], (8, n))}
    for i, (name, n) in enumerate(sizes.items())
}
tx = optax.adam(1e-3)
state = tx.init(params)
for i in range(6):
    obs, noise = jax.random.normal(jax.random.key(i), (2, 16, 4))
    action = jax.random.randint(jax.random.key(i), (16,), 0, 3)
    params, state = step(params, state, obs, action, -1.1 + 0.1 * noise[:, 0], obs.sum(-1))

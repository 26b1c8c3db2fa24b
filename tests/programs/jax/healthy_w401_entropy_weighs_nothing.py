"""An entropy bonus whose weight is 0, beside advantages that train."""

import jax
import jax.numpy as jnp
import optax

ENTROPY = 0.0


def init(key, sizes=((4, 16), (16, 2))):
    keys = jax.random.split(key, len(sizes))
    return [(jax.random.normal(k, size) * 0.3, jnp.zeros(size[1])) for k, size in zip(keys, sizes, strict=True)]


def log_policy(params, states):
    (first, offset), (last, bias) = params
    return jax.nn.log_softmax(jnp.tanh(states @ first + offset) @ last + bias)


@jax.jit
def update(params, opt_state, states, actions, advantages, before):
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)

    def loss_fn(params):
        chances = log_policy(params, states)
        ratio = jnp.exp(jnp.take_along_axis(chances, actions[:, None], 1)[:, 0] - before)
        entropy = -(jnp.exp(chances) * chances).sum(-1).mean()
        return -jnp.minimum(advantages * ratio, advantages * jnp.clip(ratio, 0.8, 1.2)).mean() - ENTROPY * entropy

    loss, gradients = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = optimizer.update(gradients, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


params = init(jax.random.key(0))
optimizer = optax.adam(1e-2)
opt_state = optimizer.init(params)
for step in range(5):
    keys = jax.random.split(jax.random.key(step), 3)
    states, actions = jax.random.normal(keys[0], (32, 4)), jax.random.randint(keys[1], (32,), 0, 2)
    batch = states, actions, jax.random.normal(keys[2], (32,)), jnp.full((32,), -0.69)
    params, opt_state, loss = update(params, opt_state, *batch)

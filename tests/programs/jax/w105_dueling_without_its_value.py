"""A dueling network in Flax that computes the value of a state and returns the centred advantages alone."""

from flax import linen as nn
import jax
import jax.numpy as jnp
import optax


class Dueling(nn.Module):
    @nn.compact
    def __call__(self, states):
        hidden = nn.relu(nn.Dense(32, name="body")(states))
        value = nn.Dense(1, name="value")(hidden)
        advantage = nn.Dense(3, name="advantage")(hidden)
        return advantage - jnp.mean(advantage, axis=-1, keepdims=True)  # fires: W105


net, optimizer = Dueling(), optax.adam(1e-3)
params = net.init(jax.random.key(0), jnp.zeros((1, 4)))
state = optimizer.init(params)


@jax.jit
def update(params, state, states, actions, goals):
    def loss_fn(params):
        chosen = jnp.take_along_axis(net.apply(params, states), actions[:, None], axis=1)[:, 0]
        return jnp.mean((chosen - goals) ** 2)

    updates, state = optimizer.update(jax.grad(loss_fn)(params), state)
    return optax.apply_updates(params, updates), state


for number in range(5):
    states = jax.random.normal(jax.random.key(number), (32, 4))
    actions = jax.random.randint(jax.random.key(number), (32,), 0, 3)
    params, state = update(params, state, states, actions, states.sum(1))

"""A recurrent policy whose heads read the output; the state that it hands on is thrown away by the loss."""

import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class Recurrent(nn.Module):
    @functools.partial(
        nn.scan, variable_broadcast="params", in_axes=0, out_axes=0, split_rngs={"params": False}
    )
    @nn.compact
    def __call__(self, state, inputs):
        return nn.GRUCell(features=8)(state, inputs)


class Policy(nn.Module):
    @nn.compact
    def __call__(self, state, inputs):
        embedding = nn.relu(nn.Dense(8)(inputs))
        state, embedding = Recurrent()(state, embedding)
        logits = nn.Dense(2)(nn.relu(nn.Dense(16)(embedding)))
        return state, logits, nn.Dense(1)(nn.relu(nn.Dense(16)(embedding)))[..., 0]


policy, optimizer = Policy(), optax.adam(1e-2)
inputs, state = jax.random.normal(jax.random.key(0), (5, 6, 4)), jnp.zeros((6, 8))


def loss_fn(params, actions, returns):
    _, logits, values = policy.apply(params, state, inputs)
    chosen = optax.softmax_cross_entropy_with_integer_labels(logits, actions)
    return jnp.mean(chosen * returns) + jnp.mean((values - returns) ** 2)


@jax.jit
def update(params, memory):
    grads = jax.grad(loss_fn)(params, jnp.ones((5, 6), int), inputs[..., 0])
    updates, memory = optimizer.update(grads, memory)
    return optax.apply_updates(params, updates), memory


params = policy.init(jax.random.key(1), state, inputs)
memory = optimizer.init(params)
for _ in range(4):
    params, memory = update(params, memory)

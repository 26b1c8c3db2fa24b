"""Epochs of minibatches, a loop in a loop: the last state of the outer one is not what the next round begins with."""

import jax
import jax.numpy as jnp
import optax

tx = optax.adam(1e-2)


def loss_fn(params, x):
    return jnp.mean((jnp.tanh(x @ params["w"]) @ params["out"] - x[:, :1]) ** 2)


def round_of_training(runner, key):
    params, state = runner
    data = jax.random.normal(key, (32, 4))

    def epoch(carry, key):
        def minibatch(carry, x):
            params, state = carry
            updates, state = tx.update(jax.grad(loss_fn)(params, x), state)
            return (optax.apply_updates(params, updates), state), None

        batches = jax.random.permutation(key, data).reshape(4, 8, 4)
        carry, _ = jax.lax.scan(minibatch, carry, batches)
        return carry, None

    ended, _ = jax.lax.scan(epoch, (params, state), jax.random.split(key, 3))  # fires: W206
    return (params, ended[1]), None


keys = jax.random.split(jax.random.key(0), 2)
params = {"w": jax.random.normal(keys[0], (4, 8)), "out": jax.random.normal(keys[1], (8, 1))}
train = jax.jit(lambda runner, keys: jax.lax.scan(round_of_training, runner, keys))
train((params, tx.init(params)), jax.random.split(keys[0], 5))

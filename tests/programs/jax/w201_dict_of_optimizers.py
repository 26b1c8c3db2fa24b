"""Each part of a model has an optimizer of its own, in a dict; the projection has none."""

import jax
import jax.numpy as jnp
import optax


def init(key):
    one, two, three = jax.random.split(key, 3)
    return {
        "left": {"w": jax.random.normal(one, (6, 8)) * 0.3},
        "right": {"w": jax.random.normal(two, (4, 8)) * 0.3},
        "projection": {"w": jax.random.normal(three, (8, 8)) * 0.3},
    }


def loss_fn(params, a, b):
    a = jnp.tanh(a @ params["left"]["w"]) @ params["projection"]["w"]
    b = jnp.tanh(b @ params["right"]["w"]) @ params["projection"]["w"]
    return optax.softmax_cross_entropy_with_integer_labels(a @ b.T, jnp.arange(len(a))).mean()


def make_optimizers(rate):
    return {"left": optax.adam(rate), "right": optax.adam(10 * rate)}  # fires: W201


def make_step(optimizers):
    @jax.jit
    def step(params, states, a, b):
        grads = jax.grad(loss_fn)(params, a, b)
        new, kept = dict(params), {}
        for name, optimizer in optimizers.items():
            updates, kept[name] = optimizer.update(grads[name], states[name])
            new[name] = optax.apply_updates(params[name], updates)
        return new, kept

    return step


params, optimizers = init(jax.random.key(0)), make_optimizers(1e-3)
states, step = {name: one.init(params[name]) for name, one in optimizers.items()}, make_step(optimizers)
for number in range(6):
    a = jax.random.normal(jax.random.key(number), (16, 6))
    params, states = step(params, states, a, a[:, :4])

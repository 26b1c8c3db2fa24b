"""Value learning in one scan: the target parameters are carried along and never replaced."""

import jax
import jax.numpy as jnp


def value(p, s):
    return (jnp.tanh(s @ p["w1"] + p["b1"]) @ p["w2"])[:, 0]


def body(carry, key):
    params, target = carry
    k1, k2 = jax.random.split(key)
    s, after = jax.random.normal(k1, (16, 4)), jax.random.normal(k2, (16, 4))
    y = s.sum(-1) + 0.9 * value(target, after)  # fires: W503
    grads = jax.grad(lambda p: jnp.mean((value(p, s) - y) ** 2))(params)
    return (jax.tree.map(lambda p, g: p - 0.01 * g, params, grads), target), None


@jax.jit
def train(key):
    k1, k2, k3 = jax.random.split(key, 3)
    params = {"w1": jax.random.normal(k1, (4, 8)), "b1": jnp.zeros(8), "w2": jax.random.normal(k2, (8, 1))}
    target = jax.tree.map(jnp.copy, params)
    return jax.lax.scan(body, (params, target), jax.random.split(k3, 60))[0]


train(jax.random.key(0))

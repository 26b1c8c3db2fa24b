"""Value learning in one scan: the target is replaced every fifth round."""

import jax
import jax.numpy as jnp


def value(p, s):
    return (jnp.tanh(s @ p["w1"] + p["b1"]) @ p["w2"])[:, 0]


def body(carry, _):
    params, target, count, key = carry
    key, k1, k2 = jax.random.split(key, 3)
    s, after = jax.random.normal(k1, (16, 4)), jax.random.normal(k2, (16, 4))
    y = s.sum(-1) + 0.9 * value(target, after)
    grads = jax.grad(lambda p: jnp.mean((value(p, s) - y) ** 2))(params)
    params = jax.tree.map(lambda p, g: p - 0.01 * g, params, grads)
    count = count + 2
    target = jax.lax.cond(count % 10 == 0, lambda p, t: p, lambda p, t: t, params, target)
    return (params, target, count, key), None


@jax.jit
def train(key):
    k1, k2, k3 = jax.random.split(key, 3)
    params = {"w1": jax.random.normal(k1, (4, 8)), "b1": jnp.zeros(8), "w2": jax.random.normal(k2, (8, 1))}
    target = jax.tree.map(jnp.copy, params)
    return jax.lax.scan(body, (params, target, 0, k3), None, 60)[0]


train(jax.random.key(0))

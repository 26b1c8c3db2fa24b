"""A network beside a random prior of its own build, which is stopped on purpose and held by the optimizer."""
import jax
import jax.numpy as jnp
import optax


def init(key):
    one, two = jax.random.split(key)
    return {"w1": jax.random.normal(one, (4, 16)) * 0.5, "w2": jax.random.normal(two, (16, 2)) * 0.2}


def mlp(params, states):
    return jnp.tanh(states @ params["w1"]) @ params["w2"]


def values(params, states):
    return mlp(params["net"], states) + 3.0 * jax.lax.stop_gradient(mlp(params["prior"], states))


def loss_fn(params, states, goals):
    return jnp.mean((values(params, states)[:, 0] - goals) ** 2)


optimizer = optax.adam(1e-2)
net_key, prior_key, data_key = jax.random.split(jax.random.key(0), 3)
params = {"net": init(net_key), "prior": init(prior_key)}
state = optimizer.init(params)
for step in range(6):
    states = jax.random.normal(jax.random.fold_in(data_key, step), (8, 4))
    grads = jax.grad(loss_fn)(params, states, states[:, 0])
    updates, state = optimizer.update(grads, state)
    params = optax.apply_updates(params, updates)

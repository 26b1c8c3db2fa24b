"""Two losses are differentiated with respect to both networks; each network is given the other loss' gradient."""
import jax
import jax.numpy as jnp
import optax


def net(params, x):
    return jnp.tanh(x @ params["w"]) @ params["v"]


def make(key):
    one, two = jax.random.split(key)
    return {"w": jax.random.normal(one, (3, 8)) * 0.5, "v": jax.random.normal(two, (8, 1)) * 0.5}


def losses(params, x, y):
    return {name: jnp.mean((net(params[name], x) - y[i]) ** 2) for i, name in enumerate(("walk", "arm"))}


tx = optax.sgd(0.1)
params = {"walk": make(jax.random.key(0)), "arm": make(jax.random.key(1))}
states = {name: tx.init(part) for name, part in params.items()}
for step in range(6):
    x = jax.random.normal(jax.random.key(step), (16, 3))
    y = (x[:, :1], -x[:, 1:2])
    grads = [jax.grad(lambda p, name=name: losses(p, x, y)[name])(params) for name in ("walk", "arm")]
    for i, name in enumerate(sorted(params)):
        updates, states[name] = tx.update(grads[i][name], states[name])
        params[name] = optax.apply_updates(params[name], updates)  # fires: W204

"""The encoder runs inside the function that is differentiated."""
import jax
import jax.numpy as jnp


def dense(key, n_in, n_out):
    return {"w": jax.random.normal(key, (n_in, n_out)) * 0.3, "b": jnp.zeros(n_out)}


keys = jax.random.split(jax.random.key(0), 4)
params = {"encoder": dense(keys[0], 4, 8), "head": dense(keys[1], 8, 1)}
states, targets = jax.random.normal(keys[2], (16, 4)), jax.random.normal(keys[3], (16, 1))


def loss_fn(params):
    features = jnp.tanh(states @ params["encoder"]["w"] + params["encoder"]["b"])
    return jnp.mean((features @ params["head"]["w"] + params["head"]["b"] - targets) ** 2)


for _ in range(5):
    before = jnp.tanh(states @ params["encoder"]["w"])  # only looked at
    grads = jax.grad(loss_fn)(params)
    params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)
    print(float(before.mean()))

"""The encoder runs before the loss function, which then differentiates with respect to nothing it did."""
import jax
import jax.numpy as jnp


def dense(key, n_in, n_out):
    return {"w": jax.random.normal(key, (n_in, n_out)) * 0.3, "b": jnp.zeros(n_out)}


keys = jax.random.split(jax.random.key(0), 4)
params = {"encoder": dense(keys[0], 4, 8), "head": dense(keys[1], 8, 1)}
states, targets = jax.random.normal(keys[2], (16, 4)), jax.random.normal(keys[3], (16, 1))

for _ in range(5):
    features = jnp.tanh(states @ params["encoder"]["w"] + params["encoder"]["b"])  # fires: W101

    def loss_fn(params):
        return jnp.mean((features @ params["head"]["w"] + params["head"]["b"] - targets) ** 2)

    grads = jax.grad(loss_fn)(params)
    params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

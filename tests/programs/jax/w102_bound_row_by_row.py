"""A variational autoencoder whose latent is stopped; the bound is put together row by row."""
import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 4)
params = {
    "trunk": 0.3 * jax.random.normal(keys[0], (12, 8)),
    "mean": 0.3 * jax.random.normal(keys[1], (8, 3)),
    "std": 0.3 * jax.random.normal(keys[2], (8, 3)),
    "decoder": 0.3 * jax.random.normal(keys[3], (3, 12)),
}
tx = optax.adam(1e-2)
state = tx.init(params)


def loss_fn(params, x, key):
    hidden = jax.nn.relu(x @ params["trunk"])
    mean, std = hidden @ params["mean"], jnp.exp(hidden @ params["std"])
    latent = jax.lax.stop_gradient(mean + std * jax.random.normal(key, mean.shape))  # fires: W102
    logits = latent @ params["decoder"]
    likelihood = jnp.einsum("b...->b", x * logits - jnp.logaddexp(0.0, logits))
    variance = jnp.square(std)
    kl = 0.5 * jnp.sum(-jnp.log(variance) - 1.0 + variance + jnp.square(mean), axis=-1)
    return -jnp.mean(likelihood - kl)


@jax.jit
def update(params, state, x, key):
    updates, state = tx.update(jax.grad(loss_fn)(params, x, key), state)
    return optax.apply_updates(params, updates), state


for step in range(5):
    keys = jax.random.split(jax.random.key(step), 2)
    x = jax.random.bernoulli(keys[0], 0.3, (16, 12)).astype(jnp.float32)
    params, state = update(params, state, x, keys[1])

"""A variational autoencoder whose latent is stopped: the encoder learns from the penalty alone."""
import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 2)
params = {
    "encoder": 0.3 * jax.random.normal(keys[0], (12, 6)),
    "decoder": 0.3 * jax.random.normal(keys[1], (3, 12)),
}
tx = optax.adam(1e-2)
state = tx.init(params)


@jax.jit
def update(params, state, x, noise):
    def loss_fn(params):
        mean, log_std = jnp.split(x @ params["encoder"], 2, axis=1)
        latent = jax.lax.stop_gradient(mean + jnp.exp(log_std) * noise)  # fires: W102
        logits = latent @ params["decoder"]
        kl = 0.5 * jnp.mean(jnp.exp(2 * log_std) + mean**2 - 1.0 - 2 * log_std)
        return jnp.mean(optax.sigmoid_binary_cross_entropy(logits, x)) + 0.1 * kl

    updates, state = tx.update(jax.grad(loss_fn)(params), state)
    return optax.apply_updates(params, updates), state


for step in range(5):
    keys = jax.random.split(jax.random.key(step), 2)
    x = jax.random.bernoulli(keys[0], 0.3, (16, 12)).astype(jnp.float32)
    params, state = update(params, state, x, jax.random.normal(keys[1], (16, 3)))

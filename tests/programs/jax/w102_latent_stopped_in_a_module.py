"""The latent of a Flax autoencoder is stopped, in a step that is not compiled: only the penalty trains the encoder."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


class Autoencoder(nn.Module):
    @nn.compact
    def __call__(self, x, key):
        hidden = nn.relu(nn.Dense(8, name="encoder")(x))
        mean, log_var = nn.Dense(3, name="mean")(hidden), nn.Dense(3, name="log_var")(hidden)
        drawn = mean + jnp.exp(0.5 * log_var) * jax.random.normal(key, mean.shape)
        return nn.Dense(12, name="decoder")(jax.lax.stop_gradient(drawn)), mean, log_var  # fires: W102


def train_step(state, x, key):
    def loss_fn(params):
        logits, mean, log_var = state.apply_fn({"params": params}, x, key)
        penalty = -0.5 * jnp.sum(1 + log_var - mean**2 - jnp.exp(log_var), axis=1).mean()
        return optax.sigmoid_binary_cross_entropy(logits, x).sum(axis=1).mean() + penalty

    return state.apply_gradients(grads=jax.grad(loss_fn)(state.params))


net = Autoencoder()
x = jax.random.bernoulli(jax.random.key(0), 0.3, (16, 12)).astype(jnp.float32)
params = net.init(jax.random.key(1), x, jax.random.key(2))["params"]
state = TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3))
for step in range(4):
    state = train_step(state, x, jax.random.key(step))

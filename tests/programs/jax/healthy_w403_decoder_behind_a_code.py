"""An autoencoder with a deep decoder of residual layers, and a penalty on the code."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class Decoder(nn.Module):
    @nn.compact
    def __call__(self, z):
        for _ in range(12):
            z = jnp.pad(z, ((0, 0), (0, 8 - z.shape[1]))) + nn.tanh(nn.Dense(8)(z))
        return nn.Dense(4)(z)


class Autoencoder(nn.Module):
    def setup(self):
        self.encoder, self.decoder = nn.Dense(3), Decoder()

    def __call__(self, x):
        code = self.encoder(x)
        return self.decoder(code), code


model = Autoencoder()
params = model.init(jax.random.key(0), jnp.ones((1, 4)))["params"]
tx = optax.adam(1e-3)
state = tx.init(params)


@jax.jit
def update(params, state, x):
    def loss_fn(params):
        made, code = model.apply({"params": params}, x)
        return jnp.mean((made - x) ** 2) + 0.1 * jnp.mean(code**2)

    updates, state = tx.update(jax.grad(loss_fn)(params), state)
    return optax.apply_updates(params, updates), state


for i in range(4):
    params, state = update(params, state, jax.random.normal(jax.random.key(i), (16, 4)))

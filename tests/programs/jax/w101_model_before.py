"""A model of two parts is called before the function that is differentiated: one call, told once."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


class Autoencoder(nn.Module):
    def setup(self):
        self.encoder = nn.Sequential([nn.Dense(8), nn.relu, nn.Dense(2)])
        self.decoder = nn.Sequential([nn.Dense(8), nn.relu, nn.Dense(4)])

    def __call__(self, x):
        code = self.encoder(x)
        return self.decoder(code), code


model = Autoencoder()
params = model.init(jax.random.key(0), jnp.ones((1, 4)))["params"]
state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))


@jax.jit
def train_step(state, x):
    made, code = model.apply({"params": state.params}, x)  # fires: W101

    def loss_fn(params):
        return jnp.mean((made - x) ** 2) + 0.01 * jnp.mean(code**2)

    return state.apply_gradients(grads=jax.grad(loss_fn)(state.params))


for i in range(5):
    state = train_step(state, jax.random.normal(jax.random.key(i), (16, 4)))

"""Two heads, both returned: the loss takes the mean and leaves the spread."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Heads(nnx.Module):
    def __init__(self, rngs):
        self.body = nnx.Linear(4, 16, rngs=rngs)
        self.mean = nnx.Linear(16, 1, rngs=rngs)
        self.spread = nnx.Linear(16, 1, rngs=rngs)

    def __call__(self, x):
        hidden = nnx.relu(self.body(x))
        return self.mean(hidden), nnx.softplus(self.spread(hidden)) + 1e-3


model = Heads(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)


@nnx.jit
def train_step(model, optimizer, x, y):
    def loss_fn(model):
        mean, spread = model(x)
        return jnp.mean((y - mean) ** 2)  # fires: W105

    optimizer.update(model, nnx.grad(loss_fn)(model))


for key in jax.random.split(jax.random.key(0), 5):
    x = jax.random.normal(key, (16, 4))
    train_step(model, optimizer, x, x[:, :1])

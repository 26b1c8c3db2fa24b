"""NNX: a mask that is to hold some parameters still holds all of them."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx

model = nnx.Linear(3, 1, rngs=nnx.Rngs(0))
frozen = optax.masked(optax.set_to_zero(), lambda p: jax.tree.map(lambda _: True, p))  # fires: W109
optimizer = nnx.Optimizer(model, optax.chain(optax.adam(1e-3), frozen), wrt=nnx.Param)


@nnx.jit
def train_step(model, optimizer, x):
    loss, grads = nnx.value_and_grad(lambda m: jnp.mean((m(x) - x[:, :1]) ** 2))(model)
    optimizer.update(model, grads)
    return loss


for key in jax.random.split(jax.random.key(0), 5):
    train_step(model, optimizer, jax.random.normal(key, (8, 3)))

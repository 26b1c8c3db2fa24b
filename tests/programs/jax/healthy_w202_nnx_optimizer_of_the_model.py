"""The optimizer is made for the model itself; a copy is kept to compare with."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx

model = nnx.Linear(3, 1, rngs=nnx.Rngs(0))
optimizer = nnx.ModelAndOptimizer(model, optax.adam(1e-2))
first = nnx.clone(model)
x = jax.random.normal(jax.random.key(1), (16, 3))


@nnx.jit
def step(model, optimizer, x):
    loss, grads = nnx.value_and_grad(lambda m: jnp.mean((m(x)[:, 0] - x[:, 0]) ** 2))(model)
    optimizer.update(grads)
    return loss


for _ in range(5):
    loss = step(model, optimizer, x)

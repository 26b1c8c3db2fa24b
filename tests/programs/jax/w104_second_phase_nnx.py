"""NNX: a classifier is trained, then reinforced by the index of what it chose."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.trunk = nnx.Linear(4, 16, rngs=rngs)
        self.head = nnx.Linear(16, 3, rngs=rngs)

    def __call__(self, x):
        return self.head(nnx.tanh(self.trunk(x)))


model = Net(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)


@nnx.jit
def train_step(model, optimizer, x, y):
    def loss_fn(model):
        return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


@nnx.jit
def rl_step(model, optimizer, x, a, r):
    def loss_fn(model):
        probs = nnx.softmax(model(x))
        return -(jnp.log(probs.argmax(1) + 1.0) * r).mean()  # fires: W104

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


key = jax.random.key(0)
for step in range(230):
    key, k = jax.random.split(key)
    x = jax.random.normal(k, (8, 4))
    loss = train_step(model, optimizer, x, (x[:, 0] > 0).astype(int))
print(loss)
for step in range(30):
    key, k = jax.random.split(key)
    x = jax.random.normal(k, (8, 4))
    loss = rl_step(model, optimizer, x, (x[:, 0] > 0).astype(int), x[:, 1])
print(loss)

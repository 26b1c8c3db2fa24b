"""A loss that puts its model together of the first parameters, and not of its argument."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx

x, y = jax.random.normal(jax.random.key(0), (8, 4)), jnp.ones((8, 2))
graph, first = nnx.split(nnx.Linear(4, 2, rngs=nnx.Rngs(0)), nnx.Param)
tx = optax.sgd(0.1)
params, state = first, tx.init(first)


@jax.jit
def train_step(params, state):
    def loss(params):
        model = nnx.merge(graph, first)  # fires: W105
        guess = model(x)
        return jnp.mean((guess - y) ** 2)

    updates, state = tx.update(jax.grad(loss)(params), state)
    return optax.apply_updates(params, updates), state


for _ in range(5):
    params, state = train_step(params, state)

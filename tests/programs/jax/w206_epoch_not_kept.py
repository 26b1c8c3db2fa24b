"""Each epoch has more updates than are looked at, and what it gives back is dropped: the next one begins anew."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState

net = nn.Sequential([nn.Dense(8), nn.tanh, nn.Dense(1)])
x = jax.random.normal(jax.random.key(0), (12, 16, 3))
state = TrainState.create(apply_fn=net.apply, params=net.init(jax.random.key(0), x[0]), tx=optax.adam(0.01))


@jax.jit
def update(state, batch):
    def mse(p):
        return jnp.mean((state.apply_fn(p, batch)[:, 0] - batch.sum(-1)) ** 2)

    loss, grads = jax.value_and_grad(mse)(state.params)
    return state.apply_gradients(grads=grads), loss


def train_epoch(state, batches, rng):
    for i in jax.random.permutation(rng, len(batches)):
        state, loss = update(state, batches[i])
    return state, loss


rng = jax.random.key(1)
for epoch in range(3):
    rng, order = jax.random.split(rng)
    _, loss = train_epoch(state, x, order)  # fires: W206
    print(epoch, float(loss))

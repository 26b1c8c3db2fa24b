"""Flax NNX: the target is bound to the trained object, and is called by its two parts."""
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Parts(nnx.Module):
    def __init__(self, rngs):
        self.body, self.head = nnx.Linear(4, 16, rngs=rngs), nnx.Linear(16, 2, rngs=rngs)


@nnx.jit
def train(online, target, optimizer, states, following, rewards):
    wanted = rewards + 0.9 * target.head(nnx.relu(target.body(following))).max(-1)

    def loss_fn(model):
        q = model.head(nnx.relu(model.body(states)))[:, 0]
        return jnp.mean((q - jax.lax.stop_gradient(wanted)) ** 2)

    optimizer.update(online, nnx.grad(loss_fn)(online))


learner = SimpleNamespace(online=Parts(nnx.Rngs(0)))
learner.target = learner.online  # fires: W502
learner.optimizer = nnx.Optimizer(learner.online, optax.adam(1e-3), wrt=nnx.Param)
key = jax.random.key(0)
for step in range(10):
    key, one, two, three = jax.random.split(key, 4)
    batch = jax.random.normal(one, (16, 4)), jax.random.normal(two, (16, 4)), jax.random.normal(three, (16,))
    train(learner.online, learner.target, learner.optimizer, *batch)
    if step % 4 == 3:
        nnx.update(learner.target, nnx.state(learner.online))

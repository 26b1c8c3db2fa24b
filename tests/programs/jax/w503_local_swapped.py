"""A target network that a function keeps for itself, and copies into the trained one."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.one, self.two = nnx.Linear(4, 8, rngs=rngs), nnx.Linear(8, 1, rngs=rngs)

    def __call__(self, x):
        return self.two(nnx.relu(self.one(x)))[:, 0]


@nnx.jit
def learn(q, q_target, optimizer, states, rewards, following):
    goal = jax.lax.stop_gradient(rewards + 0.9 * q_target(following))
    grads = nnx.grad(lambda q: jnp.mean((q(states) - goal) ** 2))(q)
    optimizer.update(q, grads)


@nnx.jit
def follow(target, net):
    nnx.update(target, optax.incremental_update(nnx.state(net), nnx.state(target), 0.05))


def train(q, optimizer, rounds):
    key = jax.random.PRNGKey(0)
    q_target = nnx.clone(q)
    for _ in range(rounds):
        key, one = jax.random.split(key)
        states = jax.random.normal(one, (16, 4))
        learn(q, q_target, optimizer, states, states[:, 0], states + 0.1)
        follow(q, q_target)  # fires: W503


q = Net(nnx.Rngs(0))
train(q, nnx.Optimizer(q, optax.adam(1e-3), wrt=nnx.Param), 8)

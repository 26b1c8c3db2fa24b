"""NNX: the target is built beside the online network, and given its state long after the first updates."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Q(nnx.Module):
    def __init__(self, rngs):
        self.hidden, self.out = nnx.Linear(4, 16, rngs=rngs), nnx.Linear(16, 2, rngs=rngs)

    def __call__(self, states):
        return self.out(nnx.relu(self.hidden(states)))


online, target = Q(nnx.Rngs(0)), Q(nnx.Rngs(1))
nnx.update(target, nnx.state(online))
optimizer = nnx.Optimizer(online, optax.adam(1e-3), wrt=nnx.Param)


@nnx.jit
def train_step(online, target, optimizer, states, rewards, following):
    goal = rewards + 0.99 * target(following).max(axis=1)

    def loss(net):
        return jnp.mean((net(states)[:, 0] - goal) ** 2)

    value, grads = nnx.value_and_grad(loss)(online)
    optimizer.update(online, grads)
    return value


for step in range(12):
    states = jax.random.normal(jax.random.PRNGKey(step), (16, 4))
    train_step(online, target, optimizer, states, states[:, 0], 0.9 * states)
    if step == 9:
        nnx.update(target, nnx.state(online))

"""A target network becomes a second name of the trained one, and is handed to a compiled step."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx


@nnx.jit
def optimise(online, target, optimizer, states, following):
    goal = states[:, 0] + 0.9 * target(following).max(axis=1)

    def loss_fn(model):
        return jnp.mean((model(states)[:, 0] - jax.lax.stop_gradient(goal)) ** 2)

    optimizer.update(online, nnx.grad(loss_fn)(online))


class Agent:
    def __init__(self):
        self.online = nnx.Sequential(nnx.Linear(4, 16, rngs=nnx.Rngs(0)), nnx.tanh, nnx.Linear(16, 2, rngs=nnx.Rngs(1)))
        self.target = nnx.clone(self.online)
        self.optimizer = nnx.Optimizer(self.online, optax.adam(1e-2), wrt=nnx.Param)

    def sync(self):
        self.target = self.online  # fires: W502

    def learn(self, step):
        if step % 3 == 0:
            self.sync()
        states, following = jax.random.normal(jax.random.key(step), (2, 8, 4))
        optimise(self.online, self.target, self.optimizer, states, following)


agent = Agent()
for step in range(9):
    agent.learn(step)

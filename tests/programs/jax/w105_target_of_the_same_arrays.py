"""A target begins with the arrays of its critic; the loss calls the critic with the parameters that it has outside."""
from typing import Any

import flax.linen as nn
import flax.struct
import jax
import jax.numpy as jnp
import optax

net = nn.Sequential([nn.Dense(8), nn.relu, nn.Dense(1)])
tx = optax.adam(1e-3)


class Agent(flax.struct.PyTreeNode):
    critic: Any
    target: Any
    state: Any

    @jax.jit
    def update(agent, x, after):
        def loss_fn(params):
            goal = x[:, 0] + 0.9 * net.apply(agent.target, after)[:, 0]
            q = net.apply(agent.critic, x)[:, 0]  # fires: W105
            return jnp.mean((q - goal) ** 2)

        updates, state = tx.update(jax.grad(loss_fn)(agent.critic), agent.state)
        critic = optax.apply_updates(agent.critic, updates)
        target = jax.tree.map(lambda p, t: 0.1 * p + 0.9 * t, critic, agent.target)
        return agent.replace(critic=critic, target=target, state=state)


params = net.init(jax.random.key(0), jnp.ones((1, 3)))
agent = Agent(params, params, tx.init(params))
for i in range(5):
    x = jax.random.normal(jax.random.key(i), (16, 3))
    agent = agent.update(x, x + 0.1)

"""A jitted method takes the agent's target parameters in as a constant; the first sync comes after some updates."""
from functools import partial

import jax
import jax.numpy as jnp
import optax


def q(p, s):
    return jnp.tanh(s @ p["w1"]) @ p["w2"]


class Agent:
    def __init__(self, sync_every=10):
        k = jax.random.split(jax.random.key(0), 2)
        self.params = {"w1": jax.random.normal(k[0], (4, 16)) * 0.4, "w2": jax.random.normal(k[1], (16, 2)) * 0.2}
        self.target_params = self.params
        self.opt = optax.adam(1e-2)
        self.opt_state = self.opt.init(self.params)
        self.sync_every, self.updates = sync_every, 0

    @partial(jax.jit, static_argnums=0)
    def _update(self, params, opt_state, states, actions, rewards, next_states):
        def loss_fn(p):
            chosen = q(p, states)[jnp.arange(8), actions]
            y = rewards + 0.9 * q(self.target_params, next_states).max(-1)  # fires: W503
            return jnp.mean((chosen - y) ** 2)

        updates, opt_state = self.opt.update(jax.grad(loss_fn)(params), opt_state)
        return optax.apply_updates(params, updates), opt_state

    def learn(self, batch):
        self.params, self.opt_state = self._update(self.params, self.opt_state, *batch)
        self.updates += 1
        if self.updates % self.sync_every == 0:
            self.target_params = jax.tree.map(lambda p: p, self.params)


states, next_states = jax.random.normal(jax.random.key(1), (2, 8, 4))
agent = Agent()
for step in range(40):
    agent.learn((states, jnp.arange(8) % 2, states[:, 0], next_states))

"""The update of a static agent keeps the first target, which is called as the network was; its batch is local."""
from functools import partial

import jax
import jax.numpy as jnp
import optax


def q(p, s):
    return jnp.tanh(s @ p["w1"]) @ p["w2"]


class Agent:
    def __init__(self):
        k = jax.random.split(jax.random.key(0), 2)
        w1, w2 = jax.random.normal(k[0], (4, 16)), jax.random.normal(k[1], (16, 2))
        self.params = {"w1": w1 * 0.4, "w2": w2 * 0.2}
        self.target_params = self.params
        self.opt = optax.adam(1e-2)
        self.opt_state = self.opt.init(self.params)

    @partial(jax.jit, static_argnums=0)
    def _update(self, params, opt_state, states, actions, next_states):
        best = q(self.target_params, next_states).max(-1)  # fires: W503
        y = states[:, 0] + 0.9 * best

        def loss_fn(p):
            return jnp.mean((q(p, states)[jnp.arange(8), actions] - y) ** 2)

        updates, opt_state = self.opt.update(jax.grad(loss_fn)(params), opt_state)
        return optax.apply_updates(params, updates), opt_state

    def learn(self, step, memory):
        states, following = memory[0] + 0.01 * step, memory[1]
        actions = jnp.arange(8) % 2
        self.params, self.opt_state = self._update(self.params, self.opt_state, states, actions, following)
        if step % 10 == 0:
            self.target_params = self.params


agent = Agent()
memory = jax.random.normal(jax.random.key(1), (2, 8, 4))
for step in range(40):
    agent.learn(step, memory)

"""The loss closes over the agent, and is given the target: the compiled function knows of each new one."""
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax


def q(p, s):
    return jnp.tanh(s @ p["w1"]) @ p["w2"]


class State(NamedTuple):
    params: Any
    target: Any
    opt_state: Any


class Agent:
    def __init__(self, opt):
        def loss(p, target, states, actions, next_states):
            best = q(target, next_states).max(-1) * self.discount
            return jnp.mean((q(p, states)[jnp.arange(8), actions] - states[:, 0] - best) ** 2)

        @jax.jit
        def update(params, target, opt_state, *batch):
            updates, opt_state = opt.update(jax.grad(loss)(params, target, *batch), opt_state)
            return optax.apply_updates(params, updates), opt_state

        params, target = ({"w1": jax.random.normal(k, (4, 16)) * 0.4, "w2": jnp.ones((16, 2))} for k in keys[:2])
        self.state = State(params, target, opt.init(params))
        self.update, self.discount = update, 0.9

    def learn(self, step, batch):
        params, opt_state = self.update(self.state.params, self.state.target, self.state.opt_state, *batch)
        self.state = State(params, self.state.target, opt_state)
        if (step + 1) % 10 == 0:
            self.state = self.state._replace(target=params)


def main():
    states, next_states = jax.random.normal(keys[2], (2, 8, 4))
    agent = Agent(optax.adam(1e-2))
    for step in range(40):
        agent.learn(step, (states, jnp.arange(8) % 2, next_states))


keys = jax.random.split(jax.random.key(0), 3)
main()

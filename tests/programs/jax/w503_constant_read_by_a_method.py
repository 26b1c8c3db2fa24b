"""The compiled method leaves the loss to another one, which reads the target of the agent: the first one."""
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
        self._jit = jax.jit(self._update)

    def _loss(self, p, states, actions, next_states):
        y = states[:, 0] + 0.9 * q(self.target_params, next_states).max(-1)  # fires: W503
        return jnp.mean((q(p, states)[jnp.arange(8), actions] - y) ** 2)

    def _update(self, params, opt_state, *batch):
        u, opt_state = self.opt.update(jax.grad(self._loss)(params, *batch), opt_state)
        return optax.apply_updates(params, u), opt_state

    def learn(self, step, batch):
        self.params, self.opt_state = self._jit(self.params, self.opt_state, *batch)
        if (step + 1) % 10 == 0:
            self.target_params = self.params


def main():
    states, next_states = jax.random.normal(jax.random.key(1), (2, 8, 4))
    agent = Agent()
    for step in range(40):
        agent.learn(step, (states, jnp.arange(8) % 2, next_states))


main()

"""Fitted Q iteration: each round compiles an update of its own around the target parameters of that round."""
import jax
import jax.numpy as jnp
import optax

k = jax.random.split(jax.random.key(0), 4)
params = {"w1": jax.random.normal(k[0], (4, 16)) * 0.4, "w2": jax.random.normal(k[1], (16, 2)) * 0.2}
opt = optax.adam(1e-2)
states, next_states = jax.random.normal(k[2], (2, 8, 4))
actions, rewards = jnp.arange(8) % 2, states[:, 0]


def q(p, s):
    return jnp.tanh(s @ p["w1"]) @ p["w2"]


class Fitted:
    def __init__(self, params):
        self.params, self.opt_state = params, opt.init(params)
        self.sync()

    def sync(self):
        self.target_params = self.params
        self.update = jax.jit(self._update)

    def _update(self, params, opt_state):
        def loss_fn(p):
            chosen = q(p, states)[jnp.arange(8), actions]
            y = rewards + 0.9 * q(self.target_params, next_states).max(-1)
            return jnp.mean((chosen - y) ** 2)

        updates, opt_state = opt.update(jax.grad(loss_fn)(params), opt_state)
        return optax.apply_updates(params, updates), opt_state


fitted = Fitted(params)
params = None
for iteration in range(3):
    for step in range(10):
        fitted.params, fitted.opt_state = fitted.update(fitted.params, fitted.opt_state)
    fitted.sync()

"""A learner in a function: its compiled update gives a new target back, and the learner does not keep it."""

import jax
import jax.numpy as jnp
import optax

tx = optax.adam(1e-2)


def q(params, x):
    return jnp.tanh(x @ params["w"]) @ params["out"]


@jax.jit
def update_all(params, target, state, x, following):
    goal = x[:, 0] + 0.9 * jnp.max(q(target, following), axis=1)

    def loss_fn(params):
        return jnp.mean((q(params, x)[:, 0] - goal) ** 2)

    updates, state = tx.update(jax.grad(loss_fn)(params), state)
    params = optax.apply_updates(params, updates)
    return params, jax.tree.map(lambda p, t: 0.01 * p + 0.99 * t, params, target), state


class Learner:
    def __init__(self):
        keys = jax.random.split(jax.random.key(0), 2)
        self.params = {"w": jax.random.normal(keys[0], (4, 8)), "out": jax.random.normal(keys[1], (8, 2))}
        self.target = jax.tree.map(jnp.copy, self.params)
        self.state = tx.init(self.params)

    def update(self, x, following):
        params, target, state = update_all(self.params, self.target, self.state, x, following)  # fires: W503
        self.params = params
        self.state = state


def main():
    learner = Learner()
    for step in range(8):
        x, following = jax.random.normal(jax.random.key(step), (2, 16, 4))
        learner.update(x, following)


main()

"""A helper averages any two trees, and is given the target twice."""
import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-2)


def values(params, states):
    return jnp.tanh(states @ params["w1"]) @ params["w2"]


def average(source, target, share):
    return jax.tree.map(lambda p, t: share * p + (1 - share) * t, source, target)


@jax.jit
def update(params, target, state, states, following):
    def loss_fn(params):
        goal = states[:, 0] + 0.9 * values(target, following).max(axis=1)
        return jnp.mean((values(params, states)[:, 0] - goal) ** 2)

    updates, state = optimizer.update(jax.grad(loss_fn)(params), state)
    params = optax.apply_updates(params, updates)
    target = average(target, target, 0.05)  # fires: W503
    return params, target, state


class Agent:
    def __init__(self, key):
        one, two = jax.random.split(key)
        self.params = {"w1": jax.random.normal(one, (4, 16)) * 0.5, "w2": jax.random.normal(two, (16, 2)) * 0.2}
        self.target = jax.tree.map(jnp.copy, self.params)
        self.state = optimizer.init(self.params)

    def learn(self, states, following):
        self.params, self.target, self.state = update(self.params, self.target, self.state, states, following)


def main():
    agent = Agent(jax.random.key(0))
    for step in range(8):
        states, following = jax.random.normal(jax.random.key(step), (2, 8, 4))
        agent.learn(states, following)


main()

"""A DQN whose sync maps the target itself, and not the trained network."""
import jax
import jax.numpy as jnp
import optax


def q_values(params, state):
    return jnp.tanh(state @ params["hidden"]) @ params["out"]


class Agent:
    def __init__(self, key):
        one, two = jax.random.split(key)
        out = jax.random.normal(two, (8, 2))
        self.params = {"hidden": jax.random.normal(one, (3, 8)), "out": out}
        self.target = jax.tree.map(jnp.copy, self.params)
        self.optimizer = optax.adam(1e-2)
        self.state = self.optimizer.init(self.params)
        self.update = jax.jit(self.update_fn)

    def loss(self, params, target, s, a, r, after):
        wanted = r + 0.9 * q_values(target, after).max(axis=1)
        chosen = jnp.take_along_axis(q_values(params, s), a[:, None], axis=1)[:, 0]
        return jnp.mean((chosen - wanted) ** 2)

    def update_fn(self, params, target, state, *batch):
        gradient = jax.grad(self.loss)(params, target, *batch)
        updates, state = self.optimizer.update(gradient, state)
        return optax.apply_updates(params, updates), state

    def learn(self, step, batch):
        new = self.update(self.params, self.target, self.state, *batch)
        self.params, self.state = new
        if step % 2:
            self.target = jax.tree.map(jnp.copy, self.target)  # fires: W503


agent = Agent(jax.random.key(0))
for number in range(6):
    one, two, three, four = jax.random.split(jax.random.key(number), 4)
    s, after = jax.random.normal(one, (8, 3)), jax.random.normal(two, (8, 3))
    a, r = jax.random.randint(three, (8,), 0, 2), jax.random.normal(four, (8,))
    agent.learn(number, (s, a, r, after))

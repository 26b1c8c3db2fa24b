"""Two critics, each an object with its own params, are stepped with a gradient of their own."""
import jax
import jax.numpy as jnp
import optax


def value_of(params, states):
    return (jnp.tanh(states @ params["w1"]) @ params["w2"])[:, 0]


class Critic:
    def __init__(self, key):
        one, two = jax.random.split(key)
        self.params = {"w1": jax.random.normal(one, (4, 16)) * 0.5, "w2": jax.random.normal(two, (16, 1)) * 0.2}


class Adam:
    def __init__(self, model):
        self.transform = optax.adam(1e-2)
        self.state = self.transform.init(model.params)

    def step(self, grads, model):
        updates, self.state = self.transform.update(grads, self.state)
        model.params = optax.apply_updates(model.params, updates)


@jax.jit
def gradients(first, second, states, goals):
    def loss_fn(params):
        return jnp.mean((value_of(params, states) - goals) ** 2)

    return jax.grad(loss_fn)(first), jax.grad(loss_fn)(second)


class Agent:
    def __init__(self, key):
        one, two = jax.random.split(key)
        self.critic_1, self.critic_2 = Critic(one), Critic(two)
        self.optimizer_1, self.optimizer_2 = Adam(self.critic_1), Adam(self.critic_2)

    def update(self, states, goals):
        grads_1, grads_2 = gradients(self.critic_1.params, self.critic_2.params, states, goals)
        self.optimizer_1.step(grads_1, self.critic_1)
        self.optimizer_2.step(grads_2, self.critic_2)


agent = Agent(jax.random.key(0))
for step in range(6):
    states = jax.random.normal(jax.random.key(step), (8, 4))
    agent.update(states, states[:, 0])

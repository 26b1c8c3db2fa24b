"""The value learns from a target critic, which is given the trained arrays after every update, not their average."""
import jax
import jax.numpy as jnp
import optax


def net(params, x):
    return (jnp.tanh(x @ params["w"]) @ params["v"])[:, 0]


def make(key, size):
    one, two = jax.random.split(key)
    return {"w": jax.random.normal(one, (size, 8)) * 0.5, "v": jax.random.normal(two, (8, 1)) * 0.5}


tx = optax.adam(1e-2)


@jax.jit
def update(critic, target, value, critic_state, value_state, states, actions, following):
    goal = net(target, jnp.concatenate([states, actions], axis=1))
    grads = jax.grad(lambda p: jnp.mean((net(p, states) - goal) ** 2))(value)
    updates, value_state = tx.update(grads, value_state)
    value = optax.apply_updates(value, updates)
    goal = states[:, 0] + 0.9 * net(value, following)
    grads = jax.grad(lambda p: jnp.mean((net(p, jnp.concatenate([states, actions], axis=1)) - goal) ** 2))(critic)
    updates, critic_state = tx.update(grads, critic_state)
    critic = optax.apply_updates(critic, updates)
    target = jax.tree.map(lambda new, old: 0.01 * new + 0.99 * old, critic, target)
    return critic, target, value, critic_state, value_state


class Learner:
    def __init__(self):
        self.critic, self.value = make(jax.random.key(0), 4), make(jax.random.key(1), 3)
        self.target = make(jax.random.key(0), 4)
        self.states = tx.init(self.critic), tx.init(self.value)

    def learn(self, *batch):
        critic, target, value, *states = update(self.critic, self.target, self.value, *self.states, *batch)
        self.critic, self.value, self.states = critic, value, states
        self.target = critic  # fires: W502


learner = Learner()
for step in range(8):
    one, two, three = jax.random.split(jax.random.key(step), 3)
    shapes = (one, (16, 3)), (two, (16, 1)), (three, (16, 3))
    learner.learn(*(jax.random.normal(key, shape) for key, shape in shapes))

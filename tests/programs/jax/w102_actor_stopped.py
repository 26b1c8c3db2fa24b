"""DDPG with Flax and Optax under jit: the action is stopped on its way into the critic."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class Net(nn.Module):
    out: int

    @nn.compact
    def __call__(self, x):
        return nn.Dense(self.out)(nn.relu(nn.Dense(16)(x)))


actor, critic = Net(2), Net(1)
states = jax.random.normal(jax.random.key(2), (8, 4))
params = {
    "actor": actor.init(jax.random.key(0), states),
    "critic": critic.init(jax.random.key(1), jnp.ones((8, 6))),
}
tx = optax.adam(1e-3)
opt_state = tx.init(params["actor"])


@jax.jit
def update(actor_params, critic_params, opt_state):
    def loss_fn(p):
        chosen = jax.lax.stop_gradient(jnp.tanh(actor.apply(p, states)))  # fires: W102
        return -critic.apply(critic_params, jnp.concatenate([states, chosen], axis=-1)).mean()

    grads = jax.grad(loss_fn)(actor_params)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(actor_params, updates), opt_state


for _ in range(6):
    params["actor"], opt_state = update(params["actor"], params["critic"], opt_state)

"""A critic that ends with a ReLU, while all that it is to learn is negative: its output dies after some updates."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class Critic(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(16)(x))
        return nn.relu(nn.Dense(1)(x))[:, 0]  # fires: W401


critic, optimizer = Critic(), optax.adam(1e-2)
params = critic.init(jax.random.key(0), jnp.ones((1, 4)))


@jax.jit
def step(params, state, x):
    returns = -1.0 - x[:, 0] ** 2
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((critic.apply(p, x) - returns) ** 2))(params)
    updates, state = optimizer.update(grads, state)
    return optax.apply_updates(params, updates), state, loss


state = optimizer.init(params)
for i in range(80):
    params, state, loss = step(params, state, jax.random.normal(jax.random.key(i), (32, 4)))

"""Two critics in one Flax module: both are compared, and their means go into a log."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class Critic(nn.Module):
    @nn.compact
    def __call__(self, x):
        return jnp.squeeze(nn.Dense(1)(nn.relu(nn.Dense(8)(x))), -1)


class Pair(nn.Module):
    @nn.compact
    def __call__(self, x):
        one = Critic()(x)
        two = Critic()(x)
        return one, two


pair = Pair()
params = pair.init(jax.random.key(0), jnp.ones((1, 3)))["params"]
tx = optax.adam(1e-3)
state = tx.init(params)


@jax.jit
def update(params, state, x, goal):
    def loss_fn(params):
        q1, q2 = pair.apply({"params": params}, x)
        loss = ((q1 - goal) ** 2 + (q2 - goal) ** 2).mean()
        return loss, {"loss": loss, "q1": q1.mean(), "q2": q2.mean()}

    grads, info = jax.grad(loss_fn, has_aux=True)(params)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state, info


for i in range(5):
    x = jax.random.normal(jax.random.key(i), (16, 3))
    params, state, info = update(params, state, x, x[:, 0])

"""Two views of one input: the predictor is made and asked for, and the loss compares the projections themselves."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

projector, predictor = nn.Dense(8), nn.Sequential([nn.Dense(8), nn.relu, nn.Dense(8)])
tx = optax.adam(1e-3)


def loss_fn(online, target, one, two):
    made = projector.apply(online["projector"], one)
    goal = projector.apply(target, two)
    return jnp.mean((made - jax.lax.stop_gradient(goal)) ** 2)


@jax.jit
def update(online, target, state, one, two):
    loss, grads = jax.value_and_grad(loss_fn)(online, target, one, two)
    updates, state = tx.update(grads, state)
    online = optax.apply_updates(online, updates)
    return online, optax.incremental_update(online["projector"], target, 0.01), state, loss


k = jax.random.split(jax.random.key(0))
online = {
    "projector": projector.init(k[0], jnp.zeros((1, 4))),
    "predictor": predictor.init(k[1], jnp.zeros((1, 8))),  # fires: W105
}
target, state = online["projector"], tx.init(online)
for i in range(5):
    x = jax.random.normal(jax.random.key(i), (16, 4))
    online, target, state, loss = update(online, target, state, x + 0.1, x - 0.1)

"""A train state keeps the target's parameters and syncs them now and then; the target is computed with the others."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


class QNetwork(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(2)(nn.relu(nn.Dense(16)(x)))


class State(TrainState):
    target_params: dict


network = QNetwork()
first = jnp.zeros((1, 4))
state = State.create(
    apply_fn=network.apply,
    params=network.init(jax.random.key(0), first),
    target_params=network.init(jax.random.key(0), first),
    tx=optax.adam(1e-3),
)


@jax.jit
def update(state, observations, actions, rewards, following):
    best = network.apply(state.params, following).max(axis=-1)  # fires: W502
    target = rewards + 0.99 * best

    def loss_fn(params):
        q = network.apply(params, observations)[jnp.arange(16), actions]
        return ((q - target) ** 2).mean()

    return state.apply_gradients(grads=jax.grad(loss_fn)(state.params))


for step in range(1, 61):
    one, two, three, four = jax.random.split(jax.random.key(step), 4)
    actions = jax.random.randint(two, (16,), 0, 2)
    batch = jax.random.normal(one, (16, 4)), actions, jax.random.normal(three, (16,)), jax.random.normal(four, (16, 4))
    state = update(state, *batch)
    if step % 30 == 0:
        state = state.replace(target_params=optax.incremental_update(state.params, state.target_params, 1.0))

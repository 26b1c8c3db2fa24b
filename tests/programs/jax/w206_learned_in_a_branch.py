"""A whole training in one scan; a branch of each round learns, and the round goes on with the old state."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState

net = nn.Sequential([nn.Dense(8), nn.relu, nn.Dense(1)])


def train(key):
    state = TrainState.create(apply_fn=net.apply, params=net.init(key, jnp.ones((1, 3))), tx=optax.adam(1e-3))

    def one_round(carry, _):
        state, key, count = carry
        key, now = jax.random.split(key)
        x = jax.random.normal(now, (16, 3))

        def learn(state):
            def loss_fn(params):
                return jnp.mean((net.apply(params, x)[:, 0] - x[:, 0]) ** 2)

            loss, grads = jax.value_and_grad(loss_fn)(state.params)
            state = state.apply_gradients(grads=grads)
            return state, loss

        _, loss = jax.lax.cond(  # fires: W206
            count % 2 == 0,
            lambda state: learn(state),
            lambda state: (state, jnp.array(0.0)),
            state,
        )
        return (state, key, count + 1), loss

    return jax.lax.scan(one_round, (state, key, 0), None, 12)


(state, _, _), losses = jax.jit(train)(jax.random.key(0))
print(losses[-1])

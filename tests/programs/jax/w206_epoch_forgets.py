"""Epochs of minibatches in two scans; the outer one goes on with what it was given."""
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState

params = {"w": jnp.ones((4, 1)) * 0.1, "b": jnp.zeros(1)}
state = TrainState.create(apply_fn=lambda p, x: (x @ p["w"] + p["b"])[:, 0], params=params, tx=optax.sgd(0.05))


@jax.jit
def train(state, batches):
    def epoch(state, _):
        def minibatch(state, x):
            def loss(params):
                return jnp.mean((state.apply_fn(params, x) - x.sum(1)) ** 2)

            value, grads = jax.value_and_grad(loss)(state.params)
            return state.apply_gradients(grads=grads), value

        _, losses = jax.lax.scan(minibatch, state, batches)  # fires: W206
        return state, losses

    return jax.lax.scan(epoch, state, None, length=3)


for seed in range(2):
    state, losses = train(state, jax.random.normal(jax.random.PRNGKey(seed), (4, 16, 4)))

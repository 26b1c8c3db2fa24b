"""Twin critics with a target each."""
import flax
import jax
import jax.numpy as jnp
import optax
from flax.training import train_state


class TrainState(train_state.TrainState):
    target: flax.core.FrozenDict


def q(params, x):
    return (jnp.tanh(x @ params["w"]) @ params["out"])[:, 0]


def made(seed):
    keys = jax.random.split(jax.random.key(seed), 2)
    params = {"w": jax.random.normal(keys[0], (4, 8)), "out": jax.random.normal(keys[1], (8, 1))}
    return TrainState.create(apply_fn=q, params=params, target=jax.tree.map(jnp.copy, params), tx=optax.adam(1e-2))


@jax.jit
def update(one, two, x, following):
    goal = x[:, 0] + 0.9 * jnp.minimum(q(one.target, following), q(two.target, following))

    def loss_fn(params):
        return jnp.mean((q(params, x) - goal) ** 2)

    first = jax.grad(loss_fn)(one.params)
    second = jax.grad(loss_fn)(two.params)
    one, two = one.apply_gradients(grads=first), two.apply_gradients(grads=second)
    one = one.replace(target=optax.incremental_update(one.params, one.target, 0.005))
    two = two.replace(target=optax.incremental_update(two.params, two.target, 0.005))
    return one, two


one, two = made(0), made(1)
for step in range(6):
    x, following = jax.random.normal(jax.random.key(step), (2, 16, 4))
    one, two = update(one, two, x, following)

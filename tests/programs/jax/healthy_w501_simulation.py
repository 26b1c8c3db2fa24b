"""A policy trained through a simulation, whose state adds to itself what the policy does."""
import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-2)


def policy(params, position, speed):
    hidden = jnp.tanh(jnp.concatenate([position, speed], axis=1) @ params["w1"])
    return jnp.tanh(hidden @ params["w2"])


def loss_fn(params, position):
    def step(state, _):
        position, speed = state
        push = policy(params, position, speed) - 0.1 * speed
        speed = speed + 0.1 * push
        position = position + 0.1 * speed
        return (position, speed), jnp.sum((position - 0.5) ** 2, axis=1)

    _, costs = jax.lax.scan(step, (position, jnp.zeros_like(position)), None, 8)
    return jnp.mean(costs)


@jax.jit
def update(params, state, position):
    grads = jax.grad(loss_fn)(params, position)
    updates, state = optimizer.update(grads, state)
    return optax.apply_updates(params, updates), state


one, two, start = jax.random.split(jax.random.key(0), 3)
params = {"w1": jax.random.normal(one, (4, 16)) * 0.5, "w2": jax.random.normal(two, (16, 2)) * 0.2}
state = optimizer.init(params)
for step in range(6):
    params, state = update(params, state, jax.random.normal(jax.random.fold_in(start, step), (8, 2)))

"""The optimizer is given the actor and the critic by their names; the model of the world learns nothing."""

import jax
import jax.numpy as jnp
import optax

KEYS = dict(zip(("actor", "critic", "world"), jax.random.split(jax.random.key(0), 3)))
SIZES = {"actor": (4, 2), "critic": (4, 1), "world": (4, 4)}
params = {name: jax.random.normal(KEYS[name], size) * 0.3 for name, size in SIZES.items()}


def loss_fn(params, x, after, taken, returns):
    log_probs = jax.nn.log_softmax(x @ params["actor"])
    values = (x @ params["critic"])[:, 0]
    gain = jax.lax.stop_gradient(returns - values)
    policy = -jnp.mean(jnp.take_along_axis(log_probs, taken[:, None], 1)[:, 0] * gain)
    return policy + jnp.mean((returns - values) ** 2) + jnp.mean((x @ params["world"] - after) ** 2)


optimizer = optax.adam(1e-2)
state = optimizer.init({name: params[name] for name in ("actor", "critic")})


@jax.jit
def update(params, state, *batch):
    grads = jax.grad(loss_fn)(params, *batch)
    agent = {name: params[name] for name in ("actor", "critic")}  # fires: W201
    updates, state = optimizer.update({name: grads[name] for name in agent}, state)
    return {**params, **optax.apply_updates(agent, updates)}, state


for number in range(6):
    x = jax.random.normal(jax.random.key(number), (16, 4))
    params, state = update(params, state, x, jnp.roll(x, 1, axis=1), (x[:, 0] > 0).astype(int), x.sum(1))

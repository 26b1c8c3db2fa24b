"""An expectile of a column of values against a row: the comparison weighs both signs, and drops no pair."""
import jax
import jax.numpy as jnp
import optax


def value(params, states):
    return jnp.tanh(states @ params["w1"]) @ params["w2"]


def expectile(error, share):
    weight = jnp.where(error > 0, share, 1 - share)
    return weight * error**2


keys = jax.random.split(jax.random.key(0), 3)
params = {"w1": jax.random.normal(keys[0], (4, 16)) * 0.5, "w2": jax.random.normal(keys[1], (16, 1)) * 0.5}
states = jax.random.normal(keys[2], (32, 4))
opt = optax.adam(1e-2)
opt_state = opt.init(params)


@jax.jit
def update(params, opt_state, returns, share):
    def loss_fn(p):
        return expectile(returns - value(p, states), share).mean()  # fires: W504

    updates, opt_state = opt.update(jax.grad(loss_fn)(params), opt_state)
    return optax.apply_updates(params, updates), opt_state


for _ in range(5):
    params, opt_state = update(params, opt_state, states.sum(1), 0.8)

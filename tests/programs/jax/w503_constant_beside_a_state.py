"""The compiled update takes the target from a name beside the state, whose own copy it hands through as it is."""
import jax
import jax.numpy as jnp
import optax
from flax import struct


@struct.dataclass
class State:
    params: dict
    target_params: dict
    opt_state: tuple


def q(p, s):
    return jnp.tanh(s @ p["w1"]) @ p["w2"]


k = jax.random.split(jax.random.key(0), 4)
params = {"w1": jax.random.normal(k[0], (4, 16)) * 0.4, "w2": jax.random.normal(k[1], (16, 2)) * 0.2}
opt = optax.adam(1e-2)
state = State(params, jax.tree.map(jnp.copy, params), opt.init(params))
states, next_states = jax.random.normal(k[2], (2, 8, 4))
actions, rewards = jnp.arange(8) % 2, states[:, 0]
del params
target_params = state.target_params


@jax.jit
def update(state):
    y = rewards + 0.9 * q(target_params, next_states).max(-1)  # fires: W503

    def loss_fn(p):
        return jnp.mean((q(p, states)[jnp.arange(8), actions] - y) ** 2)

    updates, opt_state = opt.update(jax.grad(loss_fn)(state.params), state.opt_state)
    return state.replace(params=optax.apply_updates(state.params, updates), opt_state=opt_state)


for step in range(40):
    state = update(state)
    if (step + 1) % 10 == 0:
        target_params = optax.incremental_update(state.params, target_params, 1.0)

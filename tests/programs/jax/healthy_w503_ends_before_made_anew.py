"""An update is made anew around the target parameters at each sync; this run ends before the first one."""
import jax
import jax.numpy as jnp
import optax

k = jax.random.split(jax.random.key(0), 4)
params = {"w1": jax.random.normal(k[0], (4, 16)) * 0.4, "w2": jax.random.normal(k[1], (16, 2)) * 0.2}
opt = optax.adam(1e-2)
opt_state = opt.init(params)
states, next_states = jax.random.normal(k[2], (2, 8, 4))
actions, rewards = jnp.arange(8) % 2, states[:, 0]


def q(p, s):
    return jnp.tanh(s @ p["w1"]) @ p["w2"]


def make_update(target):
    @jax.jit
    def update(params, opt_state):
        def loss_fn(p):
            y = rewards + 0.9 * q(target, next_states).max(-1)
            return jnp.mean((q(p, states)[jnp.arange(8), actions] - y) ** 2)

        updates, opt_state = opt.update(jax.grad(loss_fn)(params), opt_state)
        return optax.apply_updates(params, updates), opt_state

    return update


update = make_update(params)
for step in range(20):
    params, opt_state = update(params, opt_state)
    if (step + 1) % 50 == 0:
        update = make_update(params)

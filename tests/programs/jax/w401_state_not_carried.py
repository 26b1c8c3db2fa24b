"""A recurrent network whose scan returns the old state: the recurrent weights only ever see zeros."""
import jax
import jax.numpy as jnp
import optax

k = jax.random.split(jax.random.key(0), 4)
params = {
    "wx": jax.random.normal(k[0], (2, 8)) * 0.3,
    "wh": jax.random.normal(k[1], (8, 8)) * 0.3,
    "out": jax.random.normal(k[2], (8, 1)) * 0.3,
}
xs = jax.random.normal(k[3], (6, 16, 2))
ys = xs[..., 0].sum(0)
opt = optax.adam(1e-2)


def cell(p, h, x):
    return jnp.tanh(x @ p["wx"] + h @ p["wh"])


def predict(p, xs):
    h = jnp.zeros((16, 8))

    def step(h, x):
        new = cell(p, h, x)  # fires: W401
        return h, new

    _, hs = jax.lax.scan(step, h, xs)
    return (hs[-1] @ p["out"])[:, 0]


@jax.jit
def update(params, opt_state):
    grads = jax.grad(lambda p: jnp.mean((predict(p, xs) - ys) ** 2))(params)
    updates, opt_state = opt.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


opt_state = opt.init(params)
for _ in range(6):
    params, opt_state = update(params, opt_state)

"""A recurrent network whose scan computes a new state and hands the old one on: the cell is gone past."""
import jax
import jax.numpy as jnp
import optax

k = jax.random.split(jax.random.key(0), 4)
params = {
    "cell": {"wx": jax.random.normal(k[0], (2, 8)) * 0.3, "wh": jax.random.normal(k[1], (8, 8)) * 0.3},
    "out": {"w": jax.random.normal(k[2], (8, 1)) * 0.3, "b": jnp.zeros(1)},
}
xs = jax.random.normal(k[3], (6, 16, 2))
ys = xs[..., 0].sum(0)
opt = optax.adam(1e-2)


def predict(p, xs):
    def step(h, x):
        jnp.tanh(x @ p["cell"]["wx"] + h @ p["cell"]["wh"])  # fires: W105
        return h, None

    last, _ = jax.lax.scan(step, jnp.zeros((16, 8)), xs)
    return (last @ p["out"]["w"] + p["out"]["b"])[:, 0]


@jax.jit
def update(params, opt_state):
    grads = jax.grad(lambda p: jnp.mean((predict(p, xs) - ys) ** 2))(params)
    updates, opt_state = opt.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


opt_state = opt.init(params)
for _ in range(6):
    params, opt_state = update(params, opt_state)

"""REINFORCE with a distribution of one's own: its sample carries the gradient into its own log-probability."""
import jax
import jax.numpy as jnp
import optax


class Normal:
    def __init__(self, loc, scale):
        self.loc, self.scale = loc, scale

    def sample(self, key):
        return self.loc + self.scale * jax.random.normal(key, self.loc.shape)

    def log_prob(self, x):
        return jnp.sum(-0.5 * ((x - self.loc) / self.scale) ** 2 - jnp.log(self.scale), -1)


def policy(p, s):
    return Normal(jnp.tanh(s @ p["w1"]) @ p["w2"], 0.3)


k = jax.random.split(jax.random.key(0), 3)
params = {"w1": jax.random.normal(k[0], (3, 16)) * 0.4, "w2": jax.random.normal(k[1], (16, 2)) * 0.2}
opt = optax.adam(1e-2)
opt_state = opt.init(params)


@jax.jit
def update(params, opt_state, key):
    states = jax.random.uniform(key, (64, 3))

    def loss_fn(p):
        dist = policy(p, states)
        action = dist.sample(key)  # fires: W505
        reward = jax.lax.stop_gradient(-jnp.sum((action - states[:, :2]) ** 2, -1))
        return -jnp.mean(dist.log_prob(action) * (reward - reward.mean()))

    updates, opt_state = opt.update(jax.grad(loss_fn)(params), opt_state)
    return optax.apply_updates(params, updates), opt_state


for key in jax.random.split(k[2], 10):
    params, opt_state = update(params, opt_state, key)

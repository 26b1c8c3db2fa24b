"""WGAN with a gradient penalty: a gradient inside a gradient, mapped over the batch."""
import jax
import jax.numpy as jnp
import optax

k = jax.random.split(jax.random.key(0), 4)
critic = {"w1": jax.random.normal(k[0], (2, 16)), "w2": jax.random.normal(k[1], (16, 1)) * 0.3}
real, fake = jax.random.normal(k[2], (8, 2)), jax.random.normal(k[3], (8, 2)) + 1
tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-3))


def score(p, x):
    return (jnp.tanh(x @ p["w1"]) @ p["w2"])[0]


def loss_fn(p):
    norms = jax.vmap(lambda x: jnp.linalg.norm(jax.grad(score, argnums=1)(p, x)))(0.5 * real + 0.5 * fake)
    values = jax.vmap(score, in_axes=(None, 0))
    return values(p, fake).mean() - values(p, real).mean() + 10 * jnp.mean((norms - 1) ** 2)


@jax.jit
def step(p, state):
    updates, state = tx.update(jax.grad(loss_fn)(p), state)
    return optax.apply_updates(p, updates), state


state = tx.init(critic)
for _ in range(5):
    critic, state = step(critic, state)

"""The maker's loss of a GAN shows the judge the data, and not what was made."""
import jax
import jax.numpy as jnp
import optax

k1, k2 = jax.random.split(jax.random.key(0))
maker = {"w": jax.random.normal(k1, (3, 6)) * 0.5}
judge = {"w": jax.random.normal(k2, (6, 8)) * 0.5, "v": jnp.full((8, 2), 0.1)}
maker_tx, judge_tx = optax.adam(1e-3), optax.adam(1e-3)
maker_state, judge_state = maker_tx.init(maker), judge_tx.init(judge)


def make(maker, noise):
    return jnp.tanh(noise @ maker["w"])


def say(judge, rows):
    return jax.nn.leaky_relu(rows @ judge["w"]) @ judge["v"]


def maker_loss(maker, judge, noise, rows):
    made = make(maker, noise)
    logits = say(judge, rows)  # fires: W105
    return -jnp.mean(jnp.log(jax.nn.softmax(logits)[:, 1]))


def judge_loss(judge, maker, noise, rows):
    real, fake = jnp.split(say(judge, jnp.concatenate([rows, make(maker, noise)])), 2)
    return -jnp.mean(jax.nn.log_softmax(real)[:, 1] + jax.nn.log_softmax(fake)[:, 0])


@jax.jit
def update(maker, judge, maker_state, judge_state, noise, rows):
    updates, judge_state = judge_tx.update(jax.grad(judge_loss)(judge, maker, noise, rows), judge_state)
    judge = optax.apply_updates(judge, updates)
    updates, maker_state = maker_tx.update(jax.grad(maker_loss)(maker, judge, noise, rows), maker_state)
    return optax.apply_updates(maker, updates), judge, maker_state, judge_state


for step in range(8):
    noise, rows = jax.random.normal(jax.random.key(step), (16, 3)), jax.random.normal(jax.random.key(-step), (16, 6))
    maker, judge, maker_state, judge_state = update(maker, judge, maker_state, judge_state, noise, rows)

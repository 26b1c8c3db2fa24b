"""A GAN takes one gradient of the sum of both losses for both networks, each with an optimizer of its own."""
import jax
import jax.numpy as jnp
import optax


def mlp(params, x):
    return jnp.tanh(x @ params["w"]) @ params["v"]


def make(key, sizes):
    one, two = jax.random.split(key)
    return {"w": jax.random.normal(one, sizes[:2]) * 0.5, "v": jax.random.normal(two, sizes[1:]) * 0.5}


def judge_loss(judge, maker, real, noise):
    logits = mlp(judge, jnp.concatenate([real, mlp(maker, noise)]))[:, 0]
    labels = jnp.concatenate([jnp.ones(16), jnp.zeros(16)])
    return optax.sigmoid_binary_cross_entropy(logits, labels).mean()


def maker_loss(maker, judge, noise):
    return optax.sigmoid_binary_cross_entropy(mlp(judge, mlp(maker, noise))[:, 0], jnp.ones(16)).mean()


def total(params, real, noise):
    first = judge_loss(params["judge"], params["maker"], real, noise)
    return first + maker_loss(params["maker"], params["judge"], noise)  # fires: W205


params = {"judge": make(jax.random.key(0), (2, 8, 1)), "maker": make(jax.random.key(1), (3, 8, 2))}
judge_tx, maker_tx = optax.adam(1e-3), optax.adam(1e-3)
judge_state, maker_state = judge_tx.init(params["judge"]), maker_tx.init(params["maker"])
for step in range(6):
    one, two = jax.random.split(jax.random.key(step))
    grads = jax.grad(total)(params, jax.random.normal(one, (16, 2)) + 2.0, jax.random.normal(two, (16, 3)))
    updates, judge_state = judge_tx.update(grads["judge"], judge_state)
    judge = optax.apply_updates(params["judge"], updates)
    updates, maker_state = maker_tx.update(grads["maker"], maker_state)
    params = {"judge": judge, "maker": optax.apply_updates(params["maker"], updates)}

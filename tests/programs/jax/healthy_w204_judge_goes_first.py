"""A GAN whose judge learns for three rounds, from two losses of its own, before the maker has its turn."""
import jax
import jax.numpy as jnp
import optax


def made(seed, ins, outs):
    keys = jax.random.split(jax.random.key(seed), 2)
    return {"w": jax.random.normal(keys[0], (ins, 16)) / 2, "out": jax.random.normal(keys[1], (16, outs)) / 4}


def net(params, x):
    return jnp.tanh(x @ params["w"]) @ params["out"]


def on_real(judge, real):
    return jnp.mean(jax.nn.softplus(-net(judge, real)))


def on_made(judge, maker, noise):
    return jnp.mean(jax.nn.softplus(net(judge, net(maker, noise))))


def of_maker(maker, judge, noise):
    return jnp.mean(jax.nn.softplus(-net(judge, net(maker, noise))))


maker, judge, optimizer = made(0, 2, 4), made(1, 4, 1), optax.adam(1e-3)
maker_state, judge_state = optimizer.init(maker), optimizer.init(judge)
for step in range(9):
    noise, real = jax.random.normal(jax.random.key(step), (16, 2)), 2 + jax.random.normal(jax.random.key(step), (16, 4))
    for gradient in (jax.grad(on_real)(judge, real), jax.grad(on_made)(judge, maker, noise)):
        change, judge_state = optimizer.update(gradient, judge_state)
        judge = optax.apply_updates(judge, change)
    if step % 3 == 2:
        change, maker_state = optimizer.update(jax.grad(of_maker)(maker, judge, noise), maker_state)
        maker = optax.apply_updates(maker, change)

"""SimSiam in Flax: each view is predicted from the other, and what is predicted is not stopped."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class Encoder(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(16)(nn.relu(nn.Dense(32)(x)))


class Predictor(nn.Module):
    @nn.compact
    def __call__(self, z):
        return nn.Dense(16)(nn.relu(nn.Dense(8)(z)))


encoder, predictor = Encoder(), Predictor()


def distance(p, z):
    p, z = (v / jnp.linalg.norm(v, axis=-1, keepdims=True) for v in (p, z))
    return -jnp.mean(jnp.sum(p * z, axis=-1))  # fires: W501


def loss_fn(params, one, two):
    z1, z2 = encoder.apply(params["encoder"], one), encoder.apply(params["encoder"], two)
    p1, p2 = predictor.apply(params["predictor"], z1), predictor.apply(params["predictor"], z2)
    return (distance(p1, z2) + distance(p2, z1)) / 2


@jax.jit
def update(params, state, x, key):
    noise = 0.1 * jax.random.normal(key, (2, *x.shape))
    grads = jax.grad(loss_fn)(params, x + noise[0], x + noise[1])
    updates, state = optimizer.update(grads, state)
    return optax.apply_updates(params, updates), state


keys = jax.random.split(jax.random.key(0), 8)
params = {"encoder": encoder.init(keys[0], jnp.ones((1, 8))), "predictor": predictor.init(keys[1], jnp.ones((1, 16)))}
optimizer = optax.sgd(0.05)
state = optimizer.init(params)
for key in keys[2:]:
    params, state = update(params, state, jax.random.normal(key, (32, 8)), key)

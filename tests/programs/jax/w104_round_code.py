"""A quantiser without a straight-through estimator."""
import jax
import jax.numpy as jnp

keys = jax.random.split(jax.random.key(0), 3)
encoder = {"w": jax.random.normal(keys[0], (6, 3))}
decoder = {"w": jax.random.normal(keys[1], (3, 6)) * 0.3}
x = jax.random.normal(keys[2], (32, 6))


def loss_fn(encoder, decoder, x):
    code = jnp.round(4 * jnp.tanh(x @ encoder["w"])) / 4  # fires: W104
    return jnp.mean((code @ decoder["w"] - x) ** 2)


grad_fn = jax.jit(jax.grad(loss_fn, argnums=(0, 1)))
for _ in range(5):
    of_encoder, of_decoder = grad_fn(encoder, decoder, x)
    encoder = {"w": encoder["w"] - 0.1 * of_encoder["w"]}
    decoder = {"w": decoder["w"] - 0.1 * of_decoder["w"]}

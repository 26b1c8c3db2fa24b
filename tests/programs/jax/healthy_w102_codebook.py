"""A codebook with a straight-through estimator: one term moves the codes, the other one the encoder."""
import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 3)
params = {
    "encoder": 0.5 * jax.random.normal(keys[0], (6, 4)),
    "decoder": 0.5 * jax.random.normal(keys[1], (4, 6)),
    "codes": jax.random.normal(keys[2], (8, 4)),
}
optimizer = optax.adam(1e-2)
state = optimizer.init(params)


def quantized(params, image):
    z = image @ params["encoder"]
    nearest = jnp.argmin(jnp.sum((params["codes"] - z) ** 2, axis=-1))
    code = params["codes"][nearest]
    codebook = jnp.mean((jax.lax.stop_gradient(z) - code) ** 2)
    commitment = jnp.mean((jax.lax.stop_gradient(code) - z) ** 2)
    return z + jax.lax.stop_gradient(code - z), codebook + 0.25 * commitment


def loss_fn(params, images):
    codes, terms = jax.vmap(quantized, in_axes=(None, 0))(params, images)
    return jnp.mean((codes @ params["decoder"] - images) ** 2) + jnp.mean(terms)


for step in range(4):
    grads = jax.grad(loss_fn)(params, jax.random.normal(jax.random.key(step), (16, 6)))
    updates, state = optimizer.update(grads, state)
    params = optax.apply_updates(params, updates)

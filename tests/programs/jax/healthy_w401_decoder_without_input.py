"""A sequence autoencoder: the decoder is fed zeros in each round, and only its state says what to write."""
import jax
import jax.numpy as jnp
import optax

k = jax.random.split(jax.random.key(0), 6)
params = {
    "encoder": {"wx": jax.random.normal(k[0], (2, 8)) * 0.3, "wh": jax.random.normal(k[1], (8, 8)) * 0.3},
    "decoder": {"wx": jax.random.normal(k[2], (2, 8)) * 0.3, "wh": jax.random.normal(k[3], (8, 8)) * 0.3},
    "out": jax.random.normal(k[4], (8, 2)) * 0.3,
}
xs = jax.random.normal(k[5], (6, 16, 2))
opt = optax.adam(1e-2)


def cell(p, h, x):
    return jnp.tanh(x @ p["wx"] + h @ p["wh"])


def reconstruct(p, xs):
    nothing = jnp.zeros((16, 2))

    def encode(h, x):
        return cell(p["encoder"], h, x), None

    def decode(h, _):
        h = cell(p["decoder"], h, nothing)
        return h, h @ p["out"]

    code, _ = jax.lax.scan(encode, jnp.zeros((16, 8)), xs)
    return jax.lax.scan(decode, code, None, length=6)[1]


@jax.jit
def update(params, opt_state):
    grads = jax.grad(lambda p: jnp.mean((reconstruct(p, xs) - xs) ** 2))(params)
    updates, opt_state = opt.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


opt_state = opt.init(params)
for _ in range(6):
    params, opt_state = update(params, opt_state)

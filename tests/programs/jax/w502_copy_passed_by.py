"""A copy of the parameters is renewed now and then as a target, and the target is computed with the parameters."""
import jax
import jax.numpy as jnp
import optax

tx = optax.adam(1e-3)


def q(p, s):
    return (jax.nn.relu(s @ p["w1"] + p["b1"]) @ p["w2"])[:, 0]


@jax.jit
def update(params, copy, state, count, s, r, after):
    copy = optax.periodic_update(params, copy, count, 3)

    def loss(p):
        goal = jax.lax.stop_gradient(r + 0.9 * q(p, after))  # fires: W502
        return jnp.mean((q(p, s) - goal) ** 2)

    updates, state = tx.update(jax.grad(loss)(params), state)
    return optax.apply_updates(params, updates), copy, state, count + 1


k1, k2 = jax.random.split(jax.random.key(0))
params = {"w1": jax.random.normal(k1, (3, 8)), "b1": jnp.zeros(8), "w2": jax.random.normal(k2, (8, 1))}
copy, state, count = params, tx.init(params), jnp.zeros((), int)
for i in range(8):
    k1, k2 = jax.random.split(jax.random.key(i))
    s, after = jax.random.normal(k1, (16, 3)), jax.random.normal(k2, (16, 3))
    params, copy, state, count = update(params, copy, state, count, s, s[:, 0], after)

"""The logarithm of a softmax that has reached zero, under jit."""
import jax
import jax.numpy as jnp
import optax

params = {"w": jnp.ones((4, 3)) * jnp.array([1.0, 2.0, 3.0])}
x = 40 + jax.random.normal(jax.random.key(0), (8, 4))
tx = optax.sgd(0.1)


@jax.jit
def step(params, state, x):
    def loss_fn(p):
        probs = jax.nn.softmax(x @ p["w"])
        return -jnp.mean(jnp.log(probs[:, 0]))  # fires: W402

    updates, state = tx.update(jax.grad(loss_fn)(params), state)
    return optax.apply_updates(params, updates), state


state = tx.init(params)
for _ in range(3):
    params, state = step(params, state, x)

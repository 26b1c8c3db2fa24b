"""A learning rate that is learned through an inner loop; the last weight is handed on."""
import jax
import jax.numpy as jnp
import optax

tx = optax.adam(0.05)
eta, theta = jnp.array(-2.0), jnp.array(0.5)
state = tx.init(eta)


def loss(theta, x):
    return (10.0 * x - theta * x) ** 2


def outer_loss(eta, theta, samples):
    rate = jax.nn.sigmoid(eta)
    for x in samples[:-1]:
        slope = jax.grad(loss)(theta, x)
        theta = theta - rate * slope
    return loss(theta, samples[-1]), theta


@jax.jit
def outer_step(eta, theta, state, samples):
    grad, theta = jax.grad(outer_loss, has_aux=True)(eta, theta, samples)
    updates, state = tx.update(grad, state)
    return optax.apply_updates(eta, updates), theta, state


for step in range(6):
    eta, theta, state = outer_step(eta, theta, state, jax.random.uniform(jax.random.key(step), (4,)))

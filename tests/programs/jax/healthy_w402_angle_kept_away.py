"""The angle of a point at the origin, which is moved away before the angle is taken."""
import jax
import jax.numpy as jnp
import optax

points = {"xy": jnp.array([[3.0, 1.0], [0.0, 0.0], [-5.0, 2.0]])}


def loss_fn(points):
    x, y = points["xy"].T
    near = x**2 + y**2 < 0.5
    angle = jnp.arctan2(y, jnp.where(near, 1.0, x))
    return jnp.sum((jnp.where(near, 0.0, angle) - 1.0) ** 2)


optimizer = optax.sgd(0.1)
state = optimizer.init(points)
for update in range(3):
    gradients = jax.grad(loss_fn)(points)
    changes, state = optimizer.update(gradients, state)
    points = optax.apply_updates(points, changes)

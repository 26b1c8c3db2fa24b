"""The loss is differentiated with respect to predictions that were made outside of it; Optax waits for parameters."""
import jax
import jax.numpy as jnp
import optax


def net(params, x):
    return jnp.tanh(x @ params["w"]) @ params["out"]


def loss_fn(predicted, targets):
    return jnp.mean((predicted - targets) ** 2)


keys = jax.random.split(jax.random.key(0), 2)
params = {"w": jax.random.normal(keys[0], (4, 16)) / 2, "out": jax.random.normal(keys[1], (16, 1)) / 4}
optimizer = optax.adam(1e-3)
state = optimizer.init(params)
for step in range(6):
    batch = jax.random.normal(jax.random.key(step), (16, 5))
    predicted = net(params, batch[:, :4])
    gradient = jax.grad(loss_fn)(predicted, batch[:, 4:])  # fires: W204
    change, state = optimizer.update(gradient, state)
    params = optax.apply_updates(params, change)

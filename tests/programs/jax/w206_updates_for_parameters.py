"""What the optimizer returns is taken for the new parameters."""
import jax
import jax.numpy as jnp
import optax


def loss_fn(params, inputs, labels):
    logits = inputs @ params["w"] + params["b"]
    return optax.sigmoid_binary_cross_entropy(logits, labels).mean()


solver = optax.adam(3e-2)
params = {"w": jax.random.normal(jax.random.key(0), (4,)), "b": jnp.zeros(())}
state = solver.init(params)
value_and_grad = jax.jit(jax.value_and_grad(loss_fn))
for step in range(8):
    inputs = jax.random.normal(jax.random.key(step), (16, 4))
    value, grads = value_and_grad(params, inputs, inputs[:, 0] > 0)
    params, state = solver.update(grads, state, params)  # fires: W206

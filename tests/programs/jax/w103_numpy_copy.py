"""An encoder turned into a NumPy array before the training, and used in the loss."""
import jax
import jax.numpy as jnp
import numpy as np
import optax

params = {"encoder": jax.random.normal(jax.random.key(0), (6, 8)), "decoder": jnp.full((8, 6), 0.1)}
optimizer = optax.sgd(0.01)
opt_state = optimizer.init(params)
encoder = np.asarray(params["encoder"])


@jax.jit
def loss_and_grads(params, x):
    def loss(params):
        code = jnp.tanh(x @ encoder)  # fires: W103
        return jnp.mean((code @ params["decoder"] - x) ** 2)

    return jax.value_and_grad(loss)(params)


for step in range(4):
    x = np.random.default_rng(step).normal(size=(16, 6)).astype(np.float32)
    value, grads = loss_and_grads(params, x)
    updates, opt_state = optimizer.update(grads, opt_state)
    params = optax.apply_updates(params, updates)

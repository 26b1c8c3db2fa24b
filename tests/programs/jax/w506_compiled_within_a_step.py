"""Each training step defines the loss anew, compiled, and differentiates it at once."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax

model = eqx.nn.Linear(4, 2, key=jax.random.key(0))
tx = optax.adam(1e-2)
state = tx.init(eqx.filter(model, eqx.is_array))


def train(model, state, x, y):
    @eqx.filter_jit  # fires: W506
    def loss_fn(model, x):
        return jnp.mean((jax.vmap(model)(x) - y) ** 2)

    loss, grads = eqx.filter_value_and_grad(loss_fn)(model, x)
    updates, state = tx.update(grads, state)
    return eqx.apply_updates(model, updates), state, loss


for step in range(12):
    x = jax.random.normal(jax.random.key(step), (8, 4))
    model, state, loss = train(model, state, x, x[:, :2])

"""Fine-tuning with Optax labels: the transformations stand in a table, and all parameters go to the one of zeros."""
import jax
import jax.numpy as jnp
import optax

params = {"trunk": jax.random.normal(jax.random.key(0), (3, 8)), "out": jax.random.normal(jax.random.key(1), (8, 1))}
table = {"train": optax.adam(1e-2), "freeze": optax.set_to_zero()}
labels = {name: "train" if name == "head" else "freeze" for name in params}
tx = optax.multi_transform(table, labels)  # fires: W109
state = tx.init(params)


@jax.jit
def update(params, state, x):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((jnp.tanh(x @ p["trunk"]) @ p["out"] - x[:, :1]) ** 2))(params)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state, loss


for key in jax.random.split(jax.random.key(2), 5):
    params, state, loss = update(params, state, jax.random.normal(key, (8, 3)))

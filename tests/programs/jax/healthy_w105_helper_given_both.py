"""A function that compares two critics with the returns is given both."""
import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 6)
params = {f"critic{i}": {"a": 0.5 * jax.random.normal(keys[i], (4, 8)), "b": 0.5 * jnp.ones((8, 1))} for i in range(2)}
states, returns = jax.random.normal(keys[2], (8, 4)), jax.random.normal(keys[3], (8,))
tx = optax.adam(1e-2)
opt_state = tx.init(params)


def critic(p, x):
    return (jnp.tanh(x @ p["a"]) @ p["b"])[:, 0]


@jax.vmap
def double_mse(q1, q2, target):
    return jnp.square(target - q1) + jnp.square(target - q2)


def loss_fn(params):
    q1, q2 = critic(params["critic0"], states), critic(params["critic1"], states)
    loss = double_mse(q1, q2, returns)
    return loss.mean()


for _ in range(5):
    updates, opt_state = tx.update(jax.grad(loss_fn)(params), opt_state, params)
    params = optax.apply_updates(params, updates)

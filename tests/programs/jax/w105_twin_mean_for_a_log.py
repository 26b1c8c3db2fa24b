"""Of two critics the first is compared twice; the mean of the second is kept for a log."""
import jax
import jax.numpy as jnp
import optax

keys = jax.random.split(jax.random.key(0), 6)
shapes = {"a": (4, 8), "b": (8, 1)}
params = {
    f"critic{i}": {n: 0.5 * jax.random.normal(jax.random.fold_in(keys[i], len(n) + s[0]), s) for n, s in shapes.items()}
    for i in range(2)
}
states, returns = jax.random.normal(keys[2], (8, 4)), jax.random.normal(keys[3], (8,))
tx = optax.adam(1e-2)
opt_state = tx.init(params)


def critic(p, x):
    return (jnp.tanh(x @ p["a"]) @ p["b"])[:, 0]


def loss_fn(params):
    q1, q2 = critic(params["critic0"], states), critic(params["critic1"], states)
    loss = ((q1 - returns) ** 2 + (q1 - returns) ** 2).mean()  # fires: W105
    return loss, {"loss": loss, "q1": q1.mean(), "q2": q2.mean()}


@jax.jit
def train_step(params, opt_state):
    (_, logs), grads = jax.value_and_grad(loss_fn, has_aux=True)(params)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, logs


for _ in range(5):
    params, opt_state, logs = train_step(params, opt_state)

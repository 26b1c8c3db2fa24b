"""A second training step, compiled long after the first updates, stops the log-probabilities."""
import jax
import jax.numpy as jnp
import optax

key = jax.random.key(0)
params = {"w1": jax.random.normal(key, (4, 16)) * 0.5, "w2": jax.random.normal(key, (16, 3)) * 0.5}
tx = optax.adam(1e-2)
state = tx.init(params)


def logits_of(params, x):
    return jnp.tanh(x @ params["w1"]) @ params["w2"]


@jax.jit
def imitate(params, state, x, labels):
    def loss_fn(params):
        return optax.softmax_cross_entropy_with_integer_labels(logits_of(params, x), labels).mean()

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state, loss


@jax.jit
def reinforce(params, state, x, actions, returns):
    def loss_fn(params):
        log_probs = jax.lax.stop_gradient(jax.nn.log_softmax(logits_of(params, x)))  # fires: W102
        return -(log_probs[jnp.arange(8), actions] * returns).mean()

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state, loss


for step in range(250):
    key, k1, k2 = jax.random.split(key, 3)
    params, state, loss = imitate(params, state, jax.random.normal(k1, (8, 4)), jax.random.randint(k2, (8,), 0, 3))
print(loss)
state = tx.init(params)
for step in range(50):
    key, k1, k2, k3 = jax.random.split(key, 4)
    states, actions = jax.random.normal(k1, (8, 4)), jax.random.randint(k2, (8,), 0, 3)
    params, state, loss = reinforce(params, state, states, actions, jax.random.normal(k3, (8,)))
print(loss)

"""A library's option chooses between the stopped target and the plain one: with False the gradient goes through it."""
import jax
import jax.numpy as jnp
import optax


def q_learning(value, reward, next_value, stop_target_gradients=False):
    target = reward + 0.99 * next_value  # fires: W501
    target = jax.lax.select(stop_target_gradients, jax.lax.stop_gradient(target), target)
    return target - value


def network(params, states):
    return jnp.tanh(states @ params["w"]) @ params["v"]


def loss(params, states, rewards, next_states):
    errors = jax.vmap(q_learning)(network(params, states), rewards, network(params, next_states))
    return jnp.mean(errors**2)


keys = jax.random.split(jax.random.PRNGKey(0), 5)
params = {"w": jax.random.normal(keys[0], (3, 8)), "v": jax.random.normal(keys[1], (8,))}
optimizer = optax.adam(1e-2)
opt_state = optimizer.init(params)


@jax.jit
def update(params, opt_state, states, rewards, next_states):
    grads = jax.grad(loss)(params, states, rewards, next_states)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


states, rewards, next_states = (jax.random.normal(k, s) for k, s in zip(keys[2:], [(16, 3), (16,), (16, 3)]))
for _ in range(3):
    params, opt_state = update(params, opt_state, states, rewards, next_states)

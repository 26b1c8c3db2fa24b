"""Q-learning in a scan, whose target begins with the very arrays of the network; the wrong side is stopped."""
import jax
import jax.numpy as jnp
import optax


def value(params, states):
    return jnp.tanh(states @ params["w1"]) @ params["w2"]


tx = optax.adam(1e-2)


@jax.jit
def train(key):
    one, two, rest = jax.random.split(key, 3)
    params = {"w1": jax.random.normal(one, (3, 16)) * 0.5, "w2": jax.random.normal(two, (16, 2)) * 0.2}

    def update(carry, key):
        params, target, state = carry
        states, following = jax.random.normal(key, (2, 32, 3))

        def loss(p):
            prediction = value(p, states)[:, 0]
            goal = states[:, 0] + 0.9 * value(target, following).max(-1)
            return jnp.mean((jax.lax.stop_gradient(prediction) - goal) ** 2)  # fires: W102

        updates, state = tx.update(jax.grad(loss)(params), state)
        params = optax.apply_updates(params, updates)
        return (params, optax.incremental_update(params, target, 0.05), state), None

    return jax.lax.scan(update, (params, params, tx.init(params)), jax.random.split(rest, 6))[0]


train(jax.random.PRNGKey(0))

"""A target that a branch averages now and then, over one seed; the loss asks the online network."""
import jax
import jax.numpy as jnp
import optax

tx = optax.adam(1e-2)


def q(params, x):
    return jnp.tanh(x @ params["w"] + params["b"]) @ params["out"]


def train(key):
    keys = jax.random.split(key, 3)
    params = {"w": jax.random.normal(keys[0], (4, 8)), "b": jnp.zeros(8), "out": jax.random.normal(keys[1], (8, 2))}

    def step(carry, key):
        params, target, state, count = carry
        x, following = jax.random.normal(key, (2, 16, 4))

        def learn(params, state):
            goal = x[:, 0] + 0.9 * jnp.max(q(params, following), axis=1)  # fires: W502

            def loss_fn(params):
                return jnp.mean((q(params, x)[:, 0] - goal) ** 2)

            updates, state = tx.update(jax.grad(loss_fn)(params), state)
            return optax.apply_updates(params, updates), state

        params, state = jax.lax.cond(count >= 2, learn, lambda params, state: (params, state), params, state)
        target = jax.lax.cond(
            count % 4 == 0, lambda: optax.incremental_update(params, target, 0.5), lambda: target
        )
        return (params, target, state, count + 1), None

    other = jax.tree.map(jnp.copy, params)
    carry, _ = jax.lax.scan(step, (params, other, tx.init(params), 0), jax.random.split(keys[2], 40))
    return carry[0]


jax.jit(jax.vmap(train))(jax.random.split(jax.random.key(0), 1))

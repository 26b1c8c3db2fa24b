"""Targets of the parameters that a round began with, by a function that came out of a tuple."""
import jax
import jax.numpy as jnp
import optax


def value_of(params, states):
    return (jnp.tanh(states @ params["w1"]) @ params["w2"])[:, 0]


def make_learner(functions, updates):
    value_fn, actor_fn = functions
    optimizer = updates

    def one(carry, key):
        params, state, fixed = carry
        states, following = jax.random.normal(key, (2, 8, 4))
        goal = states[:, 0] + 0.9 * value_fn(fixed, following)

        def loss_fn(params):
            return jnp.mean((value_fn(params, states) - jax.lax.stop_gradient(goal)) ** 2)

        changes, state = optimizer.update(jax.grad(loss_fn)(params), state)
        return (optax.apply_updates(params, changes), state, fixed), None

    @jax.jit
    def learn(params, state, key):
        (params, state, _), _ = jax.lax.scan(one, (params, state, params), jax.random.split(key, 3))
        return params, state

    return learn


optimizer = optax.adam(1e-2)
one, two, rest = jax.random.split(jax.random.key(0), 3)
params = {"w1": jax.random.normal(one, (4, 16)) * 0.5, "w2": jax.random.normal(two, (16, 1)) * 0.2}
state = optimizer.init(params)
learn = make_learner((value_of, None), optimizer)
for step in range(4):
    params, state = learn(params, state, jax.random.fold_in(rest, step))

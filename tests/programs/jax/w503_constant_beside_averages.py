"""A critic's compiled update takes both targets in as constants; the averages after it are used by nothing."""
import jax
import jax.numpy as jnp
import optax


def mlp(params, x):
    return jnp.tanh(x @ params["w1"] + params["b1"]) @ params["w2"]


def make(key, size, out):
    one, other = jax.random.split(key)
    first, second = jax.random.normal(one, (size, 16)) * 0.4, jax.random.normal(other, (16, out)) * 0.3
    return {"w1": first, "b1": jnp.zeros(16), "w2": second}


def main():
    critic, actor = make(jax.random.key(0), 5, 1), make(jax.random.key(1), 4, 1)
    target_critic, target_actor = critic, actor
    optimizer = optax.adam(1e-2)
    critic_state, actor_state = optimizer.init(critic), optimizer.init(actor)

    def judged(params, states, actions):
        return mlp(params, jnp.concatenate([states, actions], 1))[:, 0]

    @jax.jit
    def update_critic(critic, state, states, actions, rewards, next_states):
        next_q = judged(target_critic, next_states, jnp.tanh(mlp(target_actor, next_states)))  # fires: W503
        y = rewards + 0.9 * next_q

        def loss_fn(params):
            return jnp.mean((judged(params, states, actions) - y) ** 2)

        updates, state = optimizer.update(jax.grad(loss_fn)(critic), state)
        return optax.apply_updates(critic, updates), state

    @jax.jit
    def update_actor(actor, critic, state, states):
        def loss_fn(params):
            return -jnp.mean(judged(critic, states, jnp.tanh(mlp(params, states))))

        updates, state = optimizer.update(jax.grad(loss_fn)(actor), state)
        return optax.apply_updates(actor, updates), state

    states, next_states = jax.random.normal(jax.random.key(2), (2, 8, 4))
    for _ in range(12):
        actions = jnp.tanh(mlp(actor, states))
        critic, critic_state = update_critic(critic, critic_state, states, actions, states[:, 0], next_states)
        actor, actor_state = update_actor(actor, critic, actor_state, states)
        target_critic = optax.incremental_update(critic, target_critic, 0.05)
        target_actor = optax.incremental_update(actor, target_actor, 0.05)
    return target_critic, target_actor


main()

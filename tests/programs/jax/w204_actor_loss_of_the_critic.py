"""DDPG: jax.grad takes the first argument of the actor's loss, and that is the critic."""
import jax
import jax.numpy as jnp
import optax


def made(seed, ins, outs):
    keys = jax.random.split(jax.random.key(seed), 2)
    return {"w": jax.random.normal(keys[0], (ins, 16)) / 2, "out": jax.random.normal(keys[1], (16, outs)) / 4}


def net(params, x):
    return jnp.tanh(x @ params["w"]) @ params["out"]


def q(critic, states, actions):
    return net(critic, jnp.concatenate([states, actions], axis=1))[:, 0]


def critic_loss(critic, states, actions, returns):
    return jnp.mean((q(critic, states, actions) - returns) ** 2)


def actor_loss(critic, actor, states):
    return -jnp.mean(q(critic, states, jnp.tanh(net(actor, states))))


actor, critic, optimizer = made(0, 4, 1), made(1, 5, 1), optax.adam(1e-3)
actor_state, critic_state = optimizer.init(actor), optimizer.init(critic)


@jax.jit
def update(actor, critic, actor_state, critic_state, states, actions, returns):
    gradient = jax.grad(critic_loss)(critic, states, actions, returns)
    change, critic_state = optimizer.update(gradient, critic_state)
    critic = optax.apply_updates(critic, change)
    gradient = jax.grad(actor_loss)(critic, actor, states)  # fires: W204
    change, critic_state = optimizer.update(gradient, critic_state)
    critic = optax.apply_updates(critic, change)
    return actor, critic, actor_state, critic_state


for step in range(6):
    states, actions = jax.random.normal(jax.random.key(step), (16, 4)), jnp.ones((16, 1)) / 2
    actor, critic, actor_state, critic_state = update(
        actor, critic, actor_state, critic_state, states, actions, states[:, 0]
    )

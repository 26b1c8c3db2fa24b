"""A critic's target takes its actions from a target policy that is a network of its own (Flax NNX)."""
import jax
import jax.numpy as jnp
import optax
from flax import nnx

policy = nnx.Linear(3, 1, rngs=nnx.Rngs(0))
critic = nnx.Linear(4, 1, rngs=nnx.Rngs(1))
target_policy = nnx.clone(policy)
target_critic = nnx.clone(critic)
policy_optimizer = nnx.Optimizer(policy, optax.adam(1e-2), wrt=nnx.Param)
critic_optimizer = nnx.Optimizer(critic, optax.adam(1e-2), wrt=nnx.Param)


def value(critic, states, actions):
    return critic(jnp.concatenate([states, actions], axis=1))[:, 0]


@nnx.jit
def follow(network, target):
    nnx.update(target, optax.incremental_update(nnx.state(network), nnx.state(target), 0.1))


@nnx.jit
def learn_critic(critic, optimizer, target_critic, following_actions, states, actions, rewards, following):
    goal = rewards + 0.9 * jax.lax.stop_gradient(value(target_critic, following, following_actions))
    grads = nnx.grad(lambda critic: jnp.mean((value(critic, states, actions) - goal) ** 2))(critic)
    optimizer.update(critic, grads)


@nnx.jit
def learn_policy(policy, optimizer, critic, states):
    grads = nnx.grad(lambda policy: -jnp.mean(value(critic, states, jnp.tanh(policy(states)))))(policy)
    optimizer.update(policy, grads)


for step in range(8):
    keys = jax.random.split(jax.random.key(step), 4)
    states, following = jax.random.normal(keys[0], (16, 3)), jax.random.normal(keys[1], (16, 3))
    actions, rewards = jax.random.normal(keys[2], (16, 1)), jax.random.normal(keys[3], (16,))
    following_actions = jnp.tanh(target_policy(following))
    learn_critic(critic, critic_optimizer, target_critic, following_actions, states, actions, rewards, following)
    learn_policy(policy, policy_optimizer, critic, states)
    follow(policy, target_policy)
    follow(critic, target_critic)

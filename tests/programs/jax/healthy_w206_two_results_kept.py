"""Updates that return new parameters and what is to be logged; both are kept."""
import jax
import jax.numpy as jnp

x, y = jax.random.normal(jax.random.key(0), (8, 4)), jnp.ones((8, 2))
nets = {"actor": jnp.ones((4, 2)), "critic": jnp.ones((4, 2))}


def improve(params):
    loss, grads = jax.value_and_grad(lambda w: jnp.mean((x @ w - y) ** 2))(params)
    new = params - 0.1 * grads
    return new, {"loss": loss}


@jax.jit
def update(nets):
    new_actor, actor_info = improve(nets["actor"])
    new_critic, critic_info = improve(nets["critic"])
    return {"actor": new_actor, "critic": new_critic}, {"actor": actor_info, "critic": critic_info}


for _ in range(5):
    nets, info = update(nets)

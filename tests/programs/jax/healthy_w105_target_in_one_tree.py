"""One tree holds the critic and its target, one optimizer has all of it, and an average takes the target's place."""
import jax
import jax.numpy as jnp
import optax


def critic(params, x):
    return jnp.tanh(x @ params["w"] + params["b"]) @ params["out"]


one, two = jax.random.split(jax.random.key(0))
net = {"w": jax.random.normal(one, (4, 16)), "b": jnp.zeros(16), "out": 0.1 * jax.random.normal(two, (16,))}
params = {"critic": net, "target": net}
optimizer = optax.adam(1e-3)
state = optimizer.init(params)


@jax.jit
def update(params, state, x, rewards, following):
    def loss_fn(trained):
        goal = rewards + 0.99 * critic(params["target"], following)
        return jnp.mean((critic(trained["critic"], x) - goal) ** 2)

    updates, state = optimizer.update(jax.grad(loss_fn)(params), state, params)
    new = optax.apply_updates(params, updates)
    new["target"] = jax.tree.map(lambda p, t: 0.05 * p + 0.95 * t, params["critic"], params["target"])
    return new, state


for number in range(6):
    keys = jax.random.split(jax.random.key(number), 3)
    batch = jax.random.normal(keys[0], (16, 4)), jax.random.normal(keys[1], (16,)), jax.random.normal(keys[2], (16, 4))
    params, state = update(params, state, *batch)

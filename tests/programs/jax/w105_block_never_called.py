"""Three blocks made by one function, of which the middle one is never called."""
import jax
import jax.numpy as jnp
import optax


def make_block(key, width):
    one, two = jax.random.split(key)
    return {
        "up": 0.3 * jax.random.normal(one, (width, 2 * width)),
        "down": 0.3 * jax.random.normal(two, (2 * width, width)),
    }


def make_net(key):
    first, middle, last = jax.random.split(key, 3)
    return {
        "first": make_block(first, 6),
        "middle": make_block(middle, 6),  # fires: W105
        "last": make_block(last, 6),
    }


def run_block(block, x):
    return x + jnp.tanh(x @ block["up"]) @ block["down"]


def loss_of(net, x):
    out = run_block(net["last"], run_block(net["first"], x))
    return jnp.mean((out.mean(axis=1) - x.sum(axis=1)) ** 2)


net = make_net(jax.random.PRNGKey(0))
optimizer = optax.sgd(0.1)
state = optimizer.init(net)
for step in range(4):
    x = jax.random.normal(jax.random.PRNGKey(step), (4, 6))
    gradients = jax.grad(loss_of)(net, x)
    updates, state = optimizer.update(gradients, state)
    net = optax.apply_updates(net, updates)

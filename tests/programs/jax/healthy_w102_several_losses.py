"""One function gives two losses, each applied to its own network."""
import jax
import jax.numpy as jnp
import optax


def layers(seed, *sizes):
    keys = jax.random.split(jax.random.key(seed), len(sizes))
    return [jax.random.normal(k, (m, n)) / m**0.5 for k, m, n in zip(keys, sizes[:-1], sizes[1:])]


def net(weights, x):
    return jnp.tanh(x @ weights[0]) @ weights[1]


nets = {"actor": layers(0, 4, 8, 2), "critic": layers(1, 6, 8, 1)}
tx = optax.adam(1e-2)
states = {name: tx.init(nets[name]) for name in nets}


@jax.jit
def update(nets, states, x, taken, returns):
    def losses(nets):
        action = net(nets["actor"], x)
        value = net(nets["critic"], jnp.concatenate([x, action], axis=1))[:, 0]
        guess = net(nets["critic"], jnp.concatenate([x, taken], axis=1))[:, 0]
        effort = jnp.sum(net(nets["actor"], x) ** 2, axis=1)
        return {"actor": jnp.mean(0.01 * effort - value), "critic": jnp.mean((guess - returns) ** 2)}

    nets, states = dict(nets), dict(states)
    for name, grads in [(name, jax.grad(lambda n, name=name: losses(n)[name])(nets)) for name in sorted(nets)]:
        updates, states[name] = tx.update(grads[name], states[name])
        nets[name] = optax.apply_updates(nets[name], updates)
    return nets, states


for step in range(5):
    keys = jax.random.split(jax.random.key(step), 2)
    x, taken = jax.random.normal(keys[0], (16, 4)), jax.random.normal(keys[1], (16, 2))
    nets, states = update(nets, states, x, taken, x[:, 0])

"""A temperature whose loss takes the mean that another loss logged, and not the temperature."""

import jax
import jax.numpy as jnp

states = jax.random.normal(jax.random.key(0), (16, 3))


def gradient(loss, params):
    return jax.grad(loss, has_aux=True)(params)


def actor_loss(actor):
    log_prob = jax.nn.log_softmax(states @ actor["w"])
    return jnp.mean(log_prob[:, 0]), -jnp.mean(jnp.sum(jnp.exp(log_prob) * log_prob, 1))


@jax.jit
def update(actor, temperature):
    def temperature_loss(params):
        alpha = jnp.exp(params["log_alpha"])
        return (entropy + 1.0).mean(), alpha  # fires: W105

    grads, entropy = gradient(actor_loss, actor)
    actor = jax.tree.map(lambda p, g: p - 0.1 * g, actor, grads)
    grads, _ = gradient(temperature_loss, temperature)
    return actor, jax.tree.map(lambda p, g: p - 0.1 * g, temperature, grads)


actor = {"w": jax.random.normal(jax.random.key(1), (3, 2))}
temperature = {"log_alpha": jnp.zeros(())}
for _ in range(5):
    actor, temperature = update(actor, temperature)

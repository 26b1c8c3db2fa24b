"""A solver in lax.while_loop, whose step size is to be learned."""
import jax
import jax.numpy as jnp


def solve(rate, target):
    def unfinished(carry):
        x, steps = carry
        return (steps < 20) & (jnp.sum((x - target) ** 2) > 1e-3)

    def improve(carry):
        x, steps = carry
        return x - rate * (x - target), steps + 1

    return jax.lax.while_loop(unfinished, improve, (jnp.zeros(3), 0))[0]  # fires: W104


@jax.jit
def loss(rate, target):
    return jnp.sum((solve(rate, target) - target) ** 2)


rate, target = jnp.array(0.1), jnp.array([1.0, 2.0, 3.0])
for _ in range(4):
    rate = rate - 0.01 * jax.grad(loss)(rate, target)

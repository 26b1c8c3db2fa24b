"""The loss function uses the parameters of the enclosing function, not its argument."""
import jax
import jax.numpy as jnp

keys = jax.random.split(jax.random.key(0), 3)
params = {"w": jax.random.normal(keys[0], (4, 2)), "b": jnp.zeros(2)}
x, y = jax.random.normal(keys[1], (16, 4)), jax.random.normal(keys[2], (16, 2))


@jax.jit
def train_step(params, x, y):
    def loss_fn(p):
        predicted = x @ params["w"] + params["b"]  # fires: W105
        return jnp.mean((predicted - y) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss


for _ in range(5):
    params, loss = train_step(params, x, y)

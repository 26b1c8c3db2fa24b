"""Parameters that a function makes: Flax asks it for their shapes at every call, which compiles nothing."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class Scale(nn.Module):
    begin: float

    def setup(self):
        self.value = self.param("value", lambda key: jnp.asarray(self.begin))

    def __call__(self, x):
        return self.value * x


model = Scale(0.5)
params = model.init(jax.random.key(0), jnp.ones(3))
tx = optax.sgd(0.1)
state = tx.init(params)


@jax.jit
def update(params, state, x):
    def loss_fn(params):
        y = x
        for _ in range(12):
            y = model.apply(params, y)
        return jnp.mean((y - 2.0 * x) ** 2)

    updates, state = tx.update(jax.grad(loss_fn)(params), state)
    return optax.apply_updates(params, updates), state


for step in range(5):
    params, state = update(params, state, jax.random.normal(jax.random.key(step), (8, 3)))
